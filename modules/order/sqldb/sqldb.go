// Package sqldb opens the SQL store and runs transactions on it: MySQL, MariaDB, or SQLite with
// the same queries. It tells driver errors apart by their numbers.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Dialect is the kind of store.
type Dialect string

// The stores that the queries run on.
const (
	MySQL  Dialect = "mysql" // MySQL 8 or MariaDB from 10.6
	SQLite Dialect = "sqlite"
)

// DB is one store. On MySQL, Write and Read are the same pool; on SQLite, Write is the one writer
// whose transactions lock at once, and Read is a pool of readers that no writer blocks.
type DB struct {
	Dialect Dialect
	Write   *sqlx.DB
	Read    *sqlx.DB
}

// tries bounds how often a transaction is run again after a deadlock or a lock timeout.
const tries = 5

// OpenMySQL opens a MySQL or MariaDB store from a DSN of go-sql-driver/mysql and checks that it
// answers. Whatever the DSN says: the mode is strict, so that nothing is cut to fit, a read view
// is repeatable, and affected rows are the rows changed.
func OpenMySQL(ctx context.Context, dsn string, maxOpen int) (*DB, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, errors.New("open mysql: the DSN can't be read (user:password@tcp(host:port)/database)")
	}
	if cfg.Params == nil {
		cfg.Params = map[string]string{}
	}
	cfg.Params["sql_mode"] = "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'"
	cfg.Params["innodb_lock_wait_timeout"] = "5"
	cfg.ClientFoundRows = false
	cfg.InterpolateParams = true
	cfg.MultiStatements = false
	cfg.ParseTime = false
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Second
	}
	if cfg.Collation == "" {
		cfg.Collation = "utf8mb4_bin"
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("open mysql: %w", err)
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(maxOpen)
	pool.SetMaxIdleConns(maxOpen)
	pool.SetConnMaxIdleTime(time.Minute)
	db := sqlx.NewDb(pool, "mysql")
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open mysql: %w", err)
	}
	return &DB{Dialect: MySQL, Write: db, Read: db}, nil
}

// OpenSQLite opens, or makes, the SQLite file at path.
func OpenSQLite(ctx context.Context, path string) (*DB, error) {
	const pragmas = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	write, err := sqlx.Open("sqlite", "file:"+path+"?_txlock=immediate&"+pragmas)
	if err != nil {
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	write.SetMaxOpenConns(1)
	if err := write.PingContext(ctx); err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	read, err := sqlx.Open("sqlite", "file:"+path+"?"+pragmas+"&_pragma=query_only(1)")
	if err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("open sqlite: %w", err)
	}
	read.SetMaxOpenConns(4)
	return &DB{Dialect: SQLite, Write: write, Read: read}, nil
}

// Close closes both pools.
func (db *DB) Close() error {
	if db.Read == db.Write {
		return db.Write.Close()
	}
	return errors.Join(db.Write.Close(), db.Read.Close())
}

// InTx runs fn in a transaction and commits it. A deadlock, a lock timeout or a busy store runs
// fn again from the start, a bounded number of times, so fn must not keep state from a try that
// failed. The error of fn, or of the commit, is returned.
func (db *DB) InTx(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	var err error
	for range tries {
		err = db.tryTx(ctx, fn)
		if err == nil || !IsRetryable(err) || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("after %d tries: %w", tries, err)
}

func (db *DB) tryTx(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	tx, err := db.Write.BeginTxx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after the commit
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// InView runs fn in one read view: all its queries see the same state of the store.
func (db *DB) InView(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	var opts *sql.TxOptions
	if db.Dialect == MySQL {
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	tx, err := db.Read.BeginTxx(ctx, opts)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // a view has nothing to commit
	return fn(tx)
}

// In writes the list that an IN clause of n values needs: "?,?,?".
func In(n int) string { return Repeat("?", n) }

// Repeat writes n groups with commas between them, as a multi-row INSERT needs.
func Repeat(group string, n int) string {
	if n <= 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(n * (len(group) + 1))
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(group)
	}
	return b.String()
}
