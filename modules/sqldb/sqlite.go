package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
)

// Every SQLite connection waits for a lock, writes ahead so that readers and the writer don't
// block each other, and flushes at every commit.
const (
	pragmas       = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	writerPragmas = "_txlock=immediate&" + pragmas // a transaction that read first could not get the lock later
	readerPragmas = pragmas + "&_pragma=query_only(1)"
)

// sqliteReaders is how many connections read at once.
const sqliteReaders = 4

// OpenSQLite opens, or makes, the SQLite file at path.
func OpenSQLite(ctx context.Context, path string) (*DB, error) {
	return OpenSQLiteThrough(ctx, path, func(conn driver.Conn) driver.Conn { return conn })
}

// OpenSQLiteThrough is OpenSQLite with each connection wrapped, so that a test can break it.
func OpenSQLiteThrough(ctx context.Context, path string, wrap func(driver.Conn) driver.Conn) (*DB, error) {
	// The path must not be taken for parameters: '?', '#' and '%' are escaped.
	file := "file:" + (&url.URL{Path: path}).EscapedPath()
	write := sql.OpenDB(&sqliteConnector{dsn: file + "?" + writerPragmas, wrap: wrap})
	write.SetMaxOpenConns(1)
	read := sql.OpenDB(&sqliteConnector{dsn: file + "?" + readerPragmas, wrap: wrap})
	read.SetMaxOpenConns(sqliteReaders)
	read.SetMaxIdleConns(sqliteReaders)
	db := &DB{Dialect: SQLite, Write: sqlx.NewDb(write, "sqlite"), Read: sqlx.NewDb(read, "sqlite")}
	// The writer first: it makes the file, and turns on what readers then find.
	for _, pool := range []*sqlx.DB{db.Write, db.Read} {
		if err := pool.PingContext(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("open sqlite: %w", err), db.Close())
		}
	}
	return db, nil
}

type sqliteConnector struct {
	dsn  string
	wrap func(driver.Conn) driver.Conn
}

func (c *sqliteConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.Driver().Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return c.wrap(conn), nil
}

func (c *sqliteConnector) Driver() driver.Driver { return &sqlite.Driver{} }
