package kit

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/app/servers"
	"onrush/modules/sqldb"
)

// Applying every change of the schema takes a second under the race detector. It is done once per test
// process and store; the databases of the tests are copies.

// sqliteTemplate returns a SQLite file with the schema.
var sqliteTemplate = sync.OnceValues(func() (data []byte, err error) {
	dir, err := os.MkdirTemp("", "onrush-template-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "template.db")
	db, err := sqldb.OpenSQLite(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := schema.Up(context.Background(), db); err != nil {
		_ = db.Close()
		return nil, err
	}
	if err := db.Close(); err != nil { // the last connection writes the log into the file
		return nil, err
	}
	return os.ReadFile(path)
})

// copySQLite makes a file with the schema at path.
func copySQLite(tb testing.TB, path string) {
	tb.Helper()
	data, err := sqliteTemplate()
	require.NoError(tb, err, "make a SQLite file with the schema")
	require.NoError(tb, os.WriteFile(path, data, 0o600))
}

const templateName = "template"

// sqlTemplate makes a database with the schema on the shared server and returns the statements that
// copy its tables into the database that is in use.
var sqlTemplate = sync.OnceValues(func() (statements string, err error) {
	ctx := context.Background()
	addr := shared.sql.Addr
	if shared.sql.vitess != nil { // whose tables are copied below it
		addr = shared.sql.Tablet().Addr
	}
	admin, err := servers.AdminSQL(addr)
	if err != nil {
		return "", err
	}
	defer func() { _ = admin.Close() }()
	if _, err := admin.ExecContext(ctx, "CREATE DATABASE "+templateName); err != nil {
		return "", fmt.Errorf("make a database: %w", err)
	}
	db, err := sqldb.OpenMySQL(ctx, servers.SQLConfig(addr, templateName).FormatDSN(), 2) // schema.Up needs two
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	if err := schema.Up(ctx, db); err != nil {
		return "", err
	}
	var tables []string
	if err := db.Read.SelectContext(ctx, &tables,
		`SELECT table_name FROM information_schema.tables WHERE table_schema = ?`, templateName); err != nil {
		return "", fmt.Errorf("list tables: %w", err)
	}
	var copied strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&copied, "CREATE TABLE %s LIKE %s.%s;", table, templateName, table)
		var rows int
		if err := db.Read.GetContext(ctx, &rows, "SELECT COUNT(*) FROM "+table); err != nil {
			return "", fmt.Errorf("count rows of %s: %w", table, err)
		}
		if rows > 0 {
			fmt.Fprintf(&copied, "INSERT INTO %s SELECT * FROM %s.%s;", table, templateName, table)
		}
	}
	return copied.String(), nil
})

// copyTables makes the tables of the schema in a database of the shared server.
func copyTables(tb testing.TB, server *Server, database string) {
	tb.Helper()
	statements, err := sqlTemplate()
	require.NoError(tb, err, "make a database with the schema")
	addr := server.Addr
	if server.vitess != nil {
		addr, database = server.Tablet().Addr, below(database)
	}
	db, err := openDatabase(addr, database)
	require.NoError(tb, err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(tb.Context(), statements)
	require.NoError(tb, err, "copy the tables")
}

// openDatabase opens a database as root, who may send several statements at once.
func openDatabase(addr, database string) (*sql.DB, error) {
	cfg := servers.SQLConfig(addr, database)
	cfg.MultiStatements = true
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return sql.OpenDB(connector), nil
}
