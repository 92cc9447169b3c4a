package kit

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"sync/atomic"
	"testing"
)

// RedisAway makes the test's Redis unavailable: open connections break, new ones are refused. Redis
// keeps its data. It needs the option Breakable.
func (s *Stores) RedisAway(tb testing.TB) {
	tb.Helper()
	needLink(tb, s.redisLink != nil)
	s.redisLink.Cut()
}

// RedisBack ends RedisAway.
func (s *Stores) RedisBack(tb testing.TB) {
	tb.Helper()
	needLink(tb, s.redisLink != nil)
	s.redisLink.Join(tb)
}

// SQLAway makes the test's SQL store unavailable: open transactions fail and are rolled back, and no
// new one begins. It needs the option Breakable.
func (s *Stores) SQLAway(tb testing.TB) {
	tb.Helper()
	needLink(tb, s.sqlLink != nil || s.sqlSwitch != nil)
	if s.sqlSwitch != nil {
		s.sqlSwitch.away.Store(true)
		return
	}
	s.sqlLink.Cut()
}

// SQLBack ends SQLAway.
func (s *Stores) SQLBack(tb testing.TB) {
	tb.Helper()
	needLink(tb, s.sqlLink != nil || s.sqlSwitch != nil)
	if s.sqlSwitch != nil {
		s.sqlSwitch.away.Store(false)
		return
	}
	s.sqlLink.Join(tb)
}

// SQLCalls returns how many statements, begins and commits the SQL store has had. It needs embedded stores with the
// option Breakable.
func (s *Stores) SQLCalls(tb testing.TB) int64 {
	tb.Helper()
	needLink(tb, s.sqlSwitch != nil)
	return s.sqlSwitch.calls.Load()
}

// The calls of SQL that SQLFails names.
const (
	SQLBegin     = "begin"
	SQLStatement = "statement"
	SQLCommit    = "commit"
	SQLCommitted = "committed" // the store has committed, and the caller doesn't hear of it
)

// SQLFails makes those calls of the SQL store fail for which fails returns true. It needs embedded stores with the
// option Breakable.
func (s *Stores) SQLFails(tb testing.TB, fails func(call string) bool) {
	tb.Helper()
	needLink(tb, s.sqlSwitch != nil)
	s.sqlSwitch.fails.Store(&fails)
}

func needLink(tb testing.TB, there bool) {
	tb.Helper()
	if !there {
		tb.Fatal("stores are cut off only with the option kit.Breakable()")
	}
}

// errAway is the error of a SQLite store that is switched off, as of a server that can't be reached.
var errAway = &net.OpError{Op: "dial", Net: "sqlite", Err: errors.New("switched off by the test")}

// sqlSwitch makes SQLite, which has no server, fail like an unavailable server.
type sqlSwitch struct {
	away  atomic.Bool
	calls atomic.Int64
	fails atomic.Pointer[func(call string) bool] // nil: none does
}

func (s *sqlSwitch) check(call string) error {
	s.calls.Add(1)
	if s.away.Load() || s.failing(call) {
		return errAway
	}
	return nil
}

func (s *sqlSwitch) failing(call string) bool {
	fails := s.fails.Load()
	return fails != nil && (*fails)(call)
}

func (s *sqlSwitch) wrap(conn driver.Conn) driver.Conn {
	return &switchedConn{sqliteConn: conn.(sqliteConn), on: s}
}

// sqliteConn has the methods of the SQLite driver's connections.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type switchedConn struct {
	sqliteConn

	on *sqlSwitch
}

func (c *switchedConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if err := c.on.check(SQLBegin); err != nil {
		return nil, err
	}
	tx, err := c.sqliteConn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &switchedTx{Tx: tx, on: c.on}, nil
}

func (c *switchedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.on.check(SQLStatement); err != nil {
		return nil, err
	}
	return c.sqliteConn.PrepareContext(ctx, query)
}

func (c *switchedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.on.check(SQLStatement); err != nil {
		return nil, err
	}
	return c.sqliteConn.ExecContext(ctx, query, args)
}

func (c *switchedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.on.check(SQLStatement); err != nil {
		return nil, err
	}
	return c.sqliteConn.QueryContext(ctx, query, args)
}

func (c *switchedConn) Ping(ctx context.Context) error {
	if err := c.on.check(SQLStatement); err != nil {
		return err
	}
	return c.sqliteConn.Ping(ctx)
}

type switchedTx struct {
	driver.Tx

	on *sqlSwitch
}

// Commit fails if the store is switched off, and the transaction is rolled back.
func (tx *switchedTx) Commit() error {
	if err := tx.on.check(SQLCommit); err != nil {
		return errors.Join(err, tx.Tx.Rollback())
	}
	if err := tx.Tx.Commit(); err != nil {
		return err
	}
	if tx.on.failing(SQLCommitted) {
		return errAway
	}
	return nil
}
