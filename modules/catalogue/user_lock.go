package catalogue

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// errNoLockRow says that the user has no row in user_locks yet.
var errNoLockRow = errors.New("the user has no lock row")

// LockUser locks the user's row in user_locks until the transaction ends, before all other rows, so that what a user
// does at the same time is done one after the other. The transaction must run in WithLockRow.
func LockUser(ctx context.Context, tx *sqlx.Tx, user string) error {
	const lock = `UPDATE user_locks SET user_id = user_id WHERE user_id = ?` // locks the row on MySQL and SQLite
	res, err := tx.ExecContext(ctx, lock, user)
	if err != nil {
		return fmt.Errorf("lock user: %w", err)
	}
	switch n, err := res.RowsAffected(); {
	case err != nil:
		return fmt.Errorf("lock user: %w", err)
	case n == 0:
		return errNoLockRow
	}
	return nil
}

// WithLockRow runs fn, which locks a user in a transaction, and runs it again if the user had no row in user_locks: the
// row is inserted in a transaction of its own.
func WithLockRow(ctx context.Context, db *sqldb.DB, user string, fn func() error) error {
	err := fn()
	if !errors.Is(err, errNoLockRow) {
		return err
	}
	err = db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO user_locks (user_id) VALUES (?)`, user)
		return err
	})
	if err != nil && !sqldb.IsDuplicate(err) {
		return fmt.Errorf("insert lock row: %w", err)
	}
	return fn()
}
