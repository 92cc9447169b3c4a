package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
)

// Every SQLite connection has a busy timeout, uses the write-ahead log so that readers and the writer
// don't block each other, and syncs at every commit.
const (
	pragmas = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
		"&_pragma=foreign_keys(1)"
	writerPragmas = "_txlock=immediate&" + pragmas // a transaction that begins with a read may not get the lock later
	readerPragmas = pragmas + "&_pragma=query_only(1)"
)

// sqliteReaders is the number of reading connections.
const sqliteReaders = 4

// OpenSQLite opens the SQLite file at path and creates it if it is missing.
func OpenSQLite(ctx context.Context, path string) (*DB, error) {
	return OpenSQLiteBy(ctx, path, nil)
}

// OpenSQLiteBy is like OpenSQLite, but opens the pools by open.
func OpenSQLiteBy(ctx context.Context, path string, open Opener) (*DB, error) {
	return openSQLite(ctx, path, unwrapped, open)
}

// OpenSQLiteThrough is like OpenSQLite, but wraps each connection, so that a test can inject errors.
func OpenSQLiteThrough(ctx context.Context, path string, wrap func(driver.Conn) driver.Conn) (*DB, error) {
	return openSQLite(ctx, path, wrap, nil)
}

// OpenSQLiteInMemory opens an empty store that ends when it is closed, and has no file.
func OpenSQLiteInMemory(ctx context.Context) (*DB, error) {
	return openURI(ctx, "file:/"+rand.Text()+"?vfs=memdb&", unwrapped, nil) // by its name the connections share it
}

func unwrapped(conn driver.Conn) driver.Conn { return conn }

func openSQLite(ctx context.Context, path string, wrap func(driver.Conn) driver.Conn, open Opener) (*DB, error) {
	// '?', '#' and '%' in the path are escaped, so that they don't begin parameters.
	return openURI(ctx, "file:"+(&url.URL{Path: path}).EscapedPath()+"?", wrap, open)
}

// openURI opens the store that a URI names, which more parameters can follow.
func openURI(ctx context.Context, uri string, wrap func(driver.Conn) driver.Conn, open Opener) (*DB, error) {
	write := open.pool(&sqliteConnector{dsn: uri + writerPragmas, wrap: wrap})
	write.SetMaxOpenConns(1)
	read := open.pool(&sqliteConnector{dsn: uri + readerPragmas, wrap: wrap})
	read.SetMaxOpenConns(sqliteReaders)
	read.SetMaxIdleConns(sqliteReaders)
	db := &DB{Dialect: SQLite, Write: sqlx.NewDb(write, "sqlite"), Read: sqlx.NewDb(read, "sqlite")}
	// The writer connects first, since it creates the file and enables the write-ahead log.
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
	return guarded(c.wrap(conn))
}

func (c *sqliteConnector) Driver() driver.Driver { return &sqlite.Driver{} }
