// Package sqldb opens the SQL store and runs transactions on it: MySQL, MariaDB, or SQLite with
// the same queries. It classifies driver errors by their numbers.
package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"onrush/modules/loop"
)

// Dialect is the kind of store.
type Dialect string

// The supported stores.
const (
	MySQL  Dialect = "mysql" // MySQL 8 or MariaDB from 10.6
	SQLite Dialect = "sqlite"
)

// DB is one store. On MySQL, Write and Read are the same pool unless Pool.Readers is set. On SQLite,
// Write is the one writer, whose transactions take the write lock when they begin, and Read is a pool
// of readers that the writer never blocks.
type DB struct {
	Dialect Dialect
	Write   *sqlx.DB
	Read    *sqlx.DB
	// Busy has the owners whose rows movers and jobs found locked; nil in other pools, and on SQLite, which locks no
	// rows.
	Busy *Busy

	mysql    *mysql.Config // nil on SQLite
	open     Opener
	failover *failover     // shared by the pools of a primary; nil on SQLite
	lockWait time.Duration // how long MySQL waits for a locked row; 0 on SQLite
	lockOnce bool          // InTx doesn't wait again for a row that was locked for too long
	shares   shares
	views    *Replica // of OpenView; nil: none
}

// Opener opens a pool of connections; nil is sql.OpenDB.
type Opener func(driver.Connector) *sql.DB

func (o Opener) pool(c driver.Connector) *sql.DB {
	if o == nil {
		return sql.OpenDB(c)
	}
	return o(c)
}

// tries bounds how often a transaction runs after deadlocks and lock timeouts. pause bounds the wait
// after the first try; the bound doubles with each try.
const (
	tries = 5
	pause = 10 * time.Millisecond
)

// Close closes both pools.
func (db *DB) Close() error {
	if db.Read == db.Write {
		return db.Write.Close()
	}
	return errors.Join(db.Write.Close(), db.Read.Close())
}

// InTx runs fn in a transaction and commits it. After a deadlock, a lock timeout or a busy store it
// runs fn again from the start, a bounded number of times, so fn must not keep state from a failed
// try. InTx returns the error of fn or of the commit, which callers may return to clients: if the store failed, it is
// unavailable, as by Unavailable. In a pool with LockOnce a lock timeout is returned at once.
//
// On MySQL the transaction is READ COMMITTED: each statement sees what was committed before it, so
// two queries of one transaction may see different states. Lock the rows that must not change between
// them.
func (db *DB) InTx(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	return Unavailable(db.inTx(ctx, fn))
}

func (db *DB) inTx(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	for try := 1; ; try++ {
		err := db.tryTx(ctx, fn)
		if err == nil || !IsRetryable(err) || db.lockOnce && IsLockTimeout(err) {
			return err
		}
		if try == tries {
			onGivenUp.Mark()
			return fmt.Errorf("after %d tries: %w", tries, err)
		}
		// A statement that is cancelled while it waits for a row keeps waiting on the server, on a
		// connection that the pool no longer counts. So don't start a wait that the deadline may cut short.
		if deadline, ok := ctx.Deadline(); ok && IsLockTimeout(err) && time.Until(deadline) < db.lockWait {
			return err
		}
		markAgain(err)
		// The random wait keeps two transactions that deadlocked from doing so again.
		if loop.Wait(ctx, rand.N(pause<<(try-1))) != nil { //nolint:gosec // spreads waits; not a secret
			return err
		}
	}
}

func (db *DB) tryTx(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	g := &guard{}
	tx, err := db.Write.BeginTxx(context.WithValue(ctx, guardKey{}, g), nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after the commit
	if err := fn(tx); err != nil {
		return g.causeIn(ctx, err)
	}
	g.commits.Store(true)
	if err := tx.Commit(); err != nil {
		onCommitFailed.Mark()
		return g.causeIn(ctx, fmt.Errorf("commit: %w", err))
	}
	return nil
}

// InView runs fn in a read-only transaction whose queries all see the same state of the store. Its errors are
// as InTx returns them.
func (db *DB) InView(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	tx, err := db.OpenView(ctx)
	if err != nil {
		return Unavailable(err)
	}
	defer func() { _ = tx.Rollback() }() // a view has nothing to commit
	return Unavailable(fn(tx))
}

// viewOptions are the options of a transaction that is a read view of MySQL.
var viewOptions = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}

// OpenView begins a read view: its queries all see the state at its first query. The caller must roll
// it back.
func (db *DB) OpenView(ctx context.Context) (*sqlx.Tx, error) {
	var opts *sql.TxOptions
	if db.Dialect == MySQL {
		opts = viewOptions
	}
	if db.views != nil {
		if tx, err := db.views.openView(ctx, db); err == nil {
			return tx, nil
		}
	}
	tx, err := db.Read.BeginTxx(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	return tx, nil
}

// In returns the placeholders of an IN clause of n values: "?,?,?".
func In(n int) string { return Repeat("?", n) }

// Repeat returns n groups separated by commas, for a multi-row INSERT.
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
