// Package sqldb opens the SQL store and runs transactions on it: MySQL, MariaDB, or SQLite with
// the same queries. It tells driver errors apart by their numbers.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
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

	mysql    *mysql.Config // nil on SQLite
	lockWait time.Duration // how long MySQL waits for a row; 0 on SQLite
	shares   shares
}

// tries bounds how often a transaction is run after deadlocks and lock timeouts, and pause how
// long the first wait between two tries lasts; each later one lasts that much longer.
const (
	tries = 5
	pause = 5 * time.Millisecond
)

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
//
// On MySQL the transaction is READ COMMITTED: each statement sees what was committed before it, so
// that two queries of one transaction may see different states. What must not change between them
// has to be locked, or the transaction has to be InSnapshot.
func (db *DB) InTx(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	return db.retry(ctx, nil, fn)
}

// InSnapshot is InTx with all queries reading the same state of the store: the one that was
// committed when fn read for the first time. Changes come before the first query: changing a row
// that somebody else changed after it fails and runs fn again.
func (db *DB) InSnapshot(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	var opts *sql.TxOptions
	if db.Dialect == MySQL {
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead}
	}
	return db.retry(ctx, opts, fn)
}

func (db *DB) retry(ctx context.Context, opts *sql.TxOptions, fn func(tx *sqlx.Tx) error) error {
	for try := 1; ; try++ {
		err := db.tryTx(ctx, opts, fn)
		if err == nil || !IsRetryable(err) {
			return err
		}
		if try == tries {
			return fmt.Errorf("after %d tries: %w", tries, err)
		}
		// A statement that is given up while it waits for a row goes on waiting on the server, on a
		// connection that the pool no longer counts. So no wait begins that the deadline would cut short.
		if deadline, ok := ctx.Deadline(); ok && isLockTimeout(err) && time.Until(deadline) < db.lockWait {
			return err
		}
		// Two that met in a deadlock must not meet again in step.
		wait := time.NewTimer(rand.N(pause * time.Duration(try))) //nolint:gosec // spreads waits, guards nothing
		select {
		case <-ctx.Done():
			wait.Stop()
			return err
		case <-wait.C:
		}
	}
}

func (db *DB) tryTx(ctx context.Context, opts *sql.TxOptions, fn func(tx *sqlx.Tx) error) error {
	tx, err := db.Write.BeginTxx(ctx, opts)
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
	tx, err := db.OpenView(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // a view has nothing to commit
	return fn(tx)
}

// OpenView begins a read view, whose state is that of its first query. The caller rolls it back.
func (db *DB) OpenView(ctx context.Context) (*sqlx.Tx, error) {
	var opts *sql.TxOptions
	if db.Dialect == MySQL {
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	tx, err := db.Read.BeginTxx(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	return tx, nil
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
