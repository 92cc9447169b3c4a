package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
)

// ErrHost says that the function of a host program, which ran in a transaction, refused it: the function returned an
// error, panicked, did not return in time, or ended the transaction. It says nothing of the store or of its rows.
var ErrHost = errors.New("the host's function refused the transaction")

// errEnds is the error of a transaction of InTx that somebody else tried to end.
var errEnds = fmt.Errorf("%w: it ended a transaction that is not its own", ErrHost)

// guard keeps a transaction of InTx whole although the function of a host runs in it. Only InTx commits it: another
// Commit rolls it back. Statements that may end it are refused. After a deadlock, for which MySQL has rolled it back,
// no more statements run, since each would be a transaction by itself; nor after a tablet of Vitess was lost.
type guard struct {
	commits atomic.Bool           // InTx commits
	broken  atomic.Pointer[error] // why it can't be committed any more
}

type guardKey struct{}

// breaks keeps the first reason why the transaction can't be committed.
func (g *guard) breaks(why error) { g.broken.CompareAndSwap(nil, &why) }

// check returns why the transaction can't be committed any more; nil if it can.
func (g *guard) check() error {
	if why := g.broken.Load(); why != nil {
		return *why
	}
	return nil
}

// causeIn returns why a transaction failed with an error: what broke it, also if the error hides that. When ctx ends,
// package sql rolls the transaction back by itself, which is nobody's refusal.
func (g *guard) causeIn(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("%w: %w", ended, err)
	}
	if why := g.check(); why != nil && !errors.Is(err, why) {
		return fmt.Errorf("the transaction was rolled back: %w", why)
	}
	return err
}

// driverConn has the methods that both drivers' connections have.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// guardedConn is a connection whose transactions have a guard if they are of InTx.
type guardedConn struct {
	driverConn

	guard *guard // of the transaction that runs; nil outside of InTx
}

// guarded returns a connection with guards.
func guarded(made driver.Conn) (driver.Conn, error) {
	conn, ok := made.(driverConn)
	if !ok {
		return nil, errors.Join(errors.New("open a connection: the driver lacks methods"), made.Close())
	}
	return &guardedConn{driverConn: conn}, nil
}

// CheckNamedValue lets the driver convert arguments, if it does that by itself.
func (c *guardedConn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.driverConn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// BeginTx begins a transaction, with the guard of ctx.
func (c *guardedConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx, err := c.driverConn.BeginTx(ctx, opts)
	g, ok := ctx.Value(guardKey{}).(*guard)
	if err != nil || !ok {
		return tx, err
	}
	c.guard = g
	return &guardedTx{Tx: tx, conn: c}, nil
}

// ExecContext refuses statements that end the transaction.
func (c *guardedConn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	if err := c.refuses(query); err != nil {
		return nil, err
	}
	result, err := c.driverConn.ExecContext(ctx, query, args)
	return result, c.noted(err)
}

// QueryContext refuses statements that end the transaction.
func (c *guardedConn) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	if err := c.refuses(query); err != nil {
		return nil, err
	}
	rows, err := c.driverConn.QueryContext(ctx, query, args)
	return rows, c.noted(err)
}

// PrepareContext refuses statements that end the transaction.
func (c *guardedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.refuses(query); err != nil {
		return nil, err
	}
	return c.driverConn.PrepareContext(ctx, query)
}

// refuses returns why a statement must not run; nil if it may.
func (c *guardedConn) refuses(query string) error {
	if c.guard == nil {
		return nil
	}
	if err := c.guard.check(); err != nil {
		return fmt.Errorf("the transaction was rolled back: %w", err)
	}
	if !staysOpen(query) {
		c.guard.breaks(errEnds)
		return fmt.Errorf("%w: %.30q", errEnds, query)
	}
	return nil
}

// noted keeps that MySQL has rolled the transaction back.
func (c *guardedConn) noted(err error) error {
	if c.guard != nil && endsTransaction(err) {
		onGuarded.Mark()
		c.guard.breaks(err)
	}
	return err
}

// staysOpen reports whether a statement leaves the transaction open: it reads or writes rows, or sets a savepoint. A
// procedure may end a transaction, and so do statements on tables.
func staysOpen(query string) bool {
	const long = 40 // enough for two words
	query = uncommented(query)
	words := strings.Fields(query[:min(len(query), long)])
	if len(words) == 0 {
		return false
	}
	switch strings.ToUpper(words[0]) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "SAVEPOINT", "RELEASE", "SIGNAL":
		return true
	case "ROLLBACK":
		return len(words) > 1 && strings.EqualFold(words[1], "TO")
	}
	return false
}

// uncommented returns a statement without what may stand before its first word: spaces, brackets, and comments other
// than those that MySQL executes.
func uncommented(query string) string {
	for {
		query = strings.TrimLeft(query, " \t\r\n(")
		if !strings.HasPrefix(query, "/*") || strings.HasPrefix(query, "/*!") || strings.HasPrefix(query, "/*M!") {
			return query
		}
		_, query, _ = strings.Cut(query, "*/")
	}
}

// guardedTx is a transaction that only InTx commits.
type guardedTx struct {
	driver.Tx

	conn *guardedConn
}

// Commit commits for InTx, and otherwise rolls back.
func (tx *guardedTx) Commit() error {
	g := tx.conn.guard
	tx.conn.guard = nil
	if !g.commits.Load() {
		g.breaks(errEnds)
	}
	if err := g.check(); err != nil {
		return errors.Join(err, tx.Tx.Rollback())
	}
	return tx.Tx.Commit()
}

// Rollback rolls back, after which InTx has nothing to commit.
func (tx *guardedTx) Rollback() error {
	tx.conn.guard.breaks(errEnds)
	tx.conn.guard = nil
	return tx.Tx.Rollback()
}
