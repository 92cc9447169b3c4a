package pay

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// AddRefunded adds money that went back to a payment; it is below 0 for a refund that failed after all.
func AddRefunded(ctx context.Context, tx *sqlx.Tx, p *Payment, amount int64) error {
	const update = `UPDATE payments SET refunded_amount = refunded_amount + ? WHERE pay_number = ?`
	if _, err := tx.ExecContext(ctx, update, amount, p.Number); err != nil {
		return fmt.Errorf("add a refund to payment %s: %w", p.Number, err)
	}
	return setStanding(ctx, tx, p)
}

// setStanding updates the status of a payment after a refund of it has changed.
func setStanding(ctx context.Context, tx *sqlx.Tx, p *Payment) error {
	status, err := standing(ctx, tx, p)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE payments SET status = ? WHERE pay_number = ?`,
		status, p.Number); err != nil {
		return fmt.Errorf("set payment %s %s: %w", p.Number, status, err)
	}
	return nil
}

// standing returns the status of a payment whose transaction paid its orders: refunding if the refunds of each order
// amount to its part of the payment, refunded when these refunds are done. If a refund that was made at the gateway
// belongs to no order, the payment is refunded when all completed refunds together reach its amount.
func standing(ctx context.Context, tx *sqlx.Tx, p *Payment) (Status, error) {
	var back struct {
		Going int `db:"going"`
		Done  int `db:"done"`
	}
	const query = `SELECT COUNT(*) AS going, COALESCE(SUM(CASE WHEN r.done >= o.amount THEN 1 ELSE 0 END), 0) AS done
		FROM payment_orders o JOIN (
			SELECT order_number, SUM(amount) AS amount, SUM(CASE WHEN status = 'done' THEN amount ELSE 0 END) AS done
			FROM refunds WHERE channel = ? AND transaction_id = ? AND (outside_id = '' OR status = 'done')
			GROUP BY order_number
		) r ON r.order_number = o.order_number WHERE o.pay_number = ? AND r.amount >= o.amount`
	if err := tx.GetContext(ctx, &back, query, p.Channel, p.Transaction, p.Number); err != nil {
		return "", fmt.Errorf("add up refunds of payment %s: %w", p.Number, err)
	}
	const sum = `SELECT COALESCE(SUM(amount), 0) AS amount,
			COALESCE(SUM(CASE WHEN order_number = 0 THEN 1 ELSE 0 END), 0) AS loose
		FROM refunds WHERE channel = ? AND transaction_id = ? AND status = 'done'`
	var done struct {
		Amount int64 `db:"amount"`
		Loose  int   `db:"loose"` // refunds of no order
	}
	if err := tx.GetContext(ctx, &done, sum, p.Channel, p.Transaction); err != nil {
		return "", fmt.Errorf("add up refunds of payment %s: %w", p.Number, err)
	}
	switch {
	case done.Loose > 0 && p.Amount > 0 && done.Amount >= p.Amount:
		return Refunded, nil
	case back.Going < len(p.Orders), len(p.Orders) == 0: // an unknown payment has no orders
		return Paid, nil
	case back.Done < back.Going:
		return Refunding, nil
	}
	return Refunded, nil
}
