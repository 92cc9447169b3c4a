package order

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// The locks here are UPDATEs that change nothing, and not SELECT … FOR UPDATE, since SQLite has no locking reads: there
// the first write of a transaction locks the database.

// Fence locks the stock rows of an activity until the transaction ends, so that no order of it is stored or
// cancelled meanwhile. Storing and cancelling change these rows.
func Fence(ctx context.Context, tx *sqlx.Tx, activity string) error {
	if _, err := tx.ExecContext(ctx, `UPDATE activity_stock SET epoch = epoch WHERE activity_id = ?`,
		activity); err != nil {
		return fmt.Errorf("fence activity %s: %w", activity, err)
	}
	return nil
}

// FenceAt is Fence for an activity that has an epoch; it reports false, and locks nothing, if the activity has another
// one by now.
func FenceAt(ctx context.Context, tx *sqlx.Tx, activity string, epoch int64) (has bool, err error) {
	res, err := tx.ExecContext(ctx, `UPDATE activity_stock SET epoch = epoch WHERE activity_id = ? AND epoch = ?`,
		activity, epoch)
	if err != nil {
		return false, fmt.Errorf("fence activity %s: %w", activity, err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// LockRow locks an order's row until the transaction ends.
func LockRow(ctx context.Context, tx *sqlx.Tx, n Number) error {
	if _, err := tx.ExecContext(ctx, `UPDATE orders SET status = status WHERE number = ?`, n); err != nil {
		return fmt.Errorf("lock order %s: %w", n, err)
	}
	return nil
}
