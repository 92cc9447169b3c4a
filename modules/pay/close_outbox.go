package pay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// EnqueueCloses records in tx which of the orders have pending payments and are no longer unpaid. The
// reconciler then closes the payments without an unpaid order, in SQL and at their gateways. numbers must
// be ascending. The caller must hold locks on the orders' rows, so that no new payment for them begins.
func EnqueueCloses(ctx context.Context, tx *sqlx.Tx, numbers []order.Number) error {
	if len(numbers) == 0 {
		return nil
	}
	var pending []order.Number
	query := `SELECT DISTINCT o.order_number FROM payment_orders o JOIN payments p ON p.pay_number = o.pay_number
		WHERE p.status = 'pending' AND o.order_number IN (` + sqldb.In(len(numbers)) + `) ORDER BY o.order_number`
	if err := tx.SelectContext(ctx, &pending, query, sqldb.Args(numbers)...); err != nil {
		return fmt.Errorf("select orders with pending payments: %w", err)
	}
	if len(pending) == 0 {
		return nil
	}
	insert := `INSERT INTO payment_closes (order_number) VALUES ` + sqldb.Repeat("(?)", len(pending))
	if _, err := tx.ExecContext(ctx, insert, sqldb.Args(pending)...); err != nil {
		return fmt.Errorf("insert %d orders whose payments must be closed: %w", len(pending), err)
	}
	return nil
}

const (
	// closePage is the number of decided orders per transaction.
	closePage = 200
	// closePages bounds the pages of one run.
	closePages = 50
)

// closeDecided closes the pending payments of decided orders that have no unpaid order. They are due at
// once: RunOnce then closes them at their gateways. Repeating it is harmless, since orders never become
// unpaid again. Orders with locked rows wait for a later run, and cut this one short if there are maxFailed; the next
// one then goes on after them.
func (r *Reconciler) closeDecided(ctx context.Context) error {
	var failed []error
	for range closePages {
		var page []order.Number
		const query = `SELECT order_number FROM payment_closes WHERE order_number > ? ORDER BY order_number LIMIT ?`
		if err := r.db.Write.SelectContext(ctx, &page, query, r.closedUpto.Load(), closePage); err != nil {
			return fmt.Errorf("select decided orders: %w", err)
		}
		upto := order.Number(0)
		if len(page) == closePage {
			upto = page[closePage-1]
		}
		page = slices.DeleteFunc(page, func(n order.Number) bool { return r.db.Busy.Skips(rowsOfOrder(n)) })
		err := r.closeOf(ctx, page...)
		if sqldb.IsLockTimeout(err) {
			upto, failed, err = r.closeEach(ctx, page, upto, failed)
		}
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		r.closedUpto.Store(int64(upto))
		if upto == 0 || len(failed) == maxFailed {
			break
		}
	}
	return errors.Join(failed...)
}

// closeEach closes the payments of each order of a page, which ends at upto, in its own transaction, until rows of
// maxFailed orders were locked: each costs a wait. It returns the order after which the next page begins.
func (r *Reconciler) closeEach(ctx context.Context, page []order.Number, upto order.Number, failed []error) (
	order.Number, []error, error,
) {
	for _, n := range page {
		err := r.closeOf(ctx, n)
		if r.db.Busy.Note(rowsOfOrder(n), err) {
			if failed = append(failed, fmt.Errorf("order %s: %w", n, err)); len(failed) == maxFailed {
				return n, failed, nil
			}
		} else if err != nil {
			return upto, failed, err
		}
	}
	return upto, failed, nil
}

func rowsOfOrder(n order.Number) sqldb.Owner {
	return sqldb.Owner{Kind: sqldb.OrderRow, ID: n.String()}
}

// closeOf closes the payments of decided orders in one transaction.
func (r *Reconciler) closeOf(ctx context.Context, numbers ...order.Number) error {
	if len(numbers) == 0 {
		return nil
	}
	if err := r.db.InTx(ctx, func(tx *sqlx.Tx) error { return r.closePaymentsOf(ctx, tx, numbers) }); err != nil {
		return err
	}
	return r.settle.faults.After("close_noted")
}

func (r *Reconciler) closePaymentsOf(ctx context.Context, tx *sqlx.Tx, numbers []order.Number) error {
	args := sqldb.Args(numbers)
	var useless []order.Number
	query := `SELECT DISTINCT p.pay_number FROM payment_orders o JOIN payments p ON p.pay_number = o.pay_number
		WHERE p.status = 'pending' AND o.order_number IN (` + sqldb.In(len(numbers)) + `)
			AND NOT EXISTS (SELECT 1 FROM payment_orders m
			JOIN orders u ON u.number = m.order_number WHERE m.pay_number = p.pay_number AND u.status = 'unpaid')
			ORDER BY p.pay_number`
	if err := tx.SelectContext(ctx, &useless, query, args...); err != nil {
		return fmt.Errorf("select payments of decided orders: %w", err)
	}
	if err := closePending(ctx, tx, useless, r.clock.Now().UnixMilli()); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM payment_closes WHERE order_number IN (`+sqldb.In(len(numbers))+`)`,
		args...); err != nil {
		return fmt.Errorf("delete decided orders: %w", err)
	}
	return nil
}

// closePending closes the payments that are still pending, in the order of their numbers. They are due at
// once, so that the reconciler closes them at their gateways.
func closePending(ctx context.Context, tx *sqlx.Tx, numbers []order.Number, atMS int64) error {
	for _, n := range numbers {
		const update = `UPDATE payments SET status = 'closed', ask_ms = ? WHERE pay_number = ? AND status = 'pending'`
		if _, err := tx.ExecContext(ctx, update, atMS, n); err != nil {
			return fmt.Errorf("close payment %s: %w", n, err)
		}
	}
	return nil
}
