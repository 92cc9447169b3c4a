package kit

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"testing"
)

// RedisAway cuts the test off from its Redis: open connections break, new ones are refused. What
// Redis holds stays. It needs the option Breakable.
func (s *Stores) RedisAway(tb testing.TB) {
	tb.Helper()
	needLink(tb, s.redisLink != nil)
	s.redisLink.cut()
}

// RedisBack ends RedisAway.
func (s *Stores) RedisBack(tb testing.TB) {
	tb.Helper()
	needLink(tb, s.redisLink != nil)
	s.redisLink.join(tb)
}

// SQLAway cuts the test off from its SQL store: what is under way fails and is rolled back,
// nothing new begins. It needs the option Breakable.
func (s *Stores) SQLAway(tb testing.TB) {
	tb.Helper()
	needLink(tb, s.sqlLink != nil || s.sqlSwitch != nil)
	if s.sqlSwitch != nil {
		s.sqlSwitch.away.Store(true)
		return
	}
	s.sqlLink.cut()
}

// SQLBack ends SQLAway.
func (s *Stores) SQLBack(tb testing.TB) {
	tb.Helper()
	needLink(tb, s.sqlLink != nil || s.sqlSwitch != nil)
	if s.sqlSwitch != nil {
		s.sqlSwitch.away.Store(false)
		return
	}
	s.sqlLink.join(tb)
}

func needLink(tb testing.TB, there bool) {
	tb.Helper()
	if !there {
		tb.Fatal("stores are cut off only with the option kit.Breakable()")
	}
}

// errAway is what a SQLite store that is switched off answers.
var errAway = errors.New("sqlite: switched off by the test")

// sqlSwitch makes SQLite, which is no server, fail like one that is away.
type sqlSwitch struct{ away atomic.Bool }

func (s *sqlSwitch) check() error {
	if s.away.Load() {
		return errAway
	}
	return nil
}

func (s *sqlSwitch) wrap(conn driver.Conn) driver.Conn {
	return &switchedConn{sqliteConn: conn.(sqliteConn), on: s}
}

// sqliteConn is what the SQLite driver's connections can do.
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
	if err := c.on.check(); err != nil {
		return nil, err
	}
	tx, err := c.sqliteConn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &switchedTx{Tx: tx, on: c.on}, nil
}

func (c *switchedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.on.check(); err != nil {
		return nil, err
	}
	return c.sqliteConn.PrepareContext(ctx, query)
}

func (c *switchedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.on.check(); err != nil {
		return nil, err
	}
	return c.sqliteConn.ExecContext(ctx, query, args)
}

func (c *switchedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.on.check(); err != nil {
		return nil, err
	}
	return c.sqliteConn.QueryContext(ctx, query, args)
}

func (c *switchedConn) Ping(ctx context.Context) error {
	if err := c.on.check(); err != nil {
		return err
	}
	return c.sqliteConn.Ping(ctx)
}

type switchedTx struct {
	driver.Tx

	on *sqlSwitch
}

// Commit of a store that went away fails, and nothing of the transaction remains.
func (tx *switchedTx) Commit() error {
	if err := tx.on.check(); err != nil {
		return errors.Join(err, tx.Tx.Rollback())
	}
	return tx.Tx.Commit()
}
