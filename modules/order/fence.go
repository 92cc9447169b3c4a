package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
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
// epoch by now.
func FenceAt(ctx context.Context, tx *sqlx.Tx, activity string, epoch int64) (has bool, err error) {
	res, err := tx.ExecContext(ctx, `UPDATE activity_stock SET epoch = epoch WHERE activity_id = ? AND epoch = ?`,
		activity, epoch)
	if err != nil {
		return false, fmt.Errorf("fence activity %s: %w", activity, err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// LockRow is LockRows for one order.
func LockRow(ctx context.Context, tx *sqlx.Tx, n Number) error { return LockRows(ctx, tx, []Number{n}) }

// LockRows locks orders' rows until the transaction ends. Archived orders become live ones again, so that whoever locks
// an order may change it. Numbers without an order are ignored.
func LockRows(ctx context.Context, tx *sqlx.Tx, numbers []Number) error {
	numbers = slices.Sorted(slices.Values(numbers))
	for range 3 { // others may archive an order, or recall it, between two statements
		locked, err := lockIn(ctx, tx, Live, numbers)
		if err != nil || locked == len(numbers) {
			return err
		}
		for _, n := range numbers {
			if err := recall(ctx, tx, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// LockOrders locks orders' rows until the transaction ends and returns the numbers of the unpaid ones.
func LockOrders(ctx context.Context, tx *sqlx.Tx, numbers []Number) (unpaid []Number, err error) {
	if err := LockRows(ctx, tx, numbers); err != nil {
		return nil, err
	}
	query := `SELECT number FROM orders WHERE status = 'unpaid' AND number IN (` + sqldb.In(len(numbers)) + `)`
	if err := tx.SelectContext(ctx, &unpaid, query, sqldb.Args(numbers)...); err != nil {
		return nil, fmt.Errorf("select unpaid of %d orders: %w", len(numbers), err)
	}
	return unpaid, nil
}

// LockLive locks the rows of live orders, and returns how many of the numbers have one.
func LockLive(ctx context.Context, tx *sqlx.Tx, numbers []Number) (rows int, err error) {
	return lockIn(ctx, tx, Live, numbers)
}

// lockIn locks the rows that a table has of orders, and returns how many these are.
func lockIn(ctx context.Context, tx *sqlx.Tx, table string, numbers []Number) (rows int, err error) {
	update := `UPDATE ` + table + ` SET status = status WHERE number IN (` + sqldb.In(len(numbers)) + `)`
	res, err := tx.ExecContext(ctx, update, sqldb.Args(numbers)...)
	if err != nil {
		return 0, fmt.Errorf("lock %d orders: %w", len(numbers), err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}
