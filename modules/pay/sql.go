package pay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// PaymentColumns are the columns of a Payment.
const PaymentColumns = `pay_number, user_id, task_id, digest, channel, status, amount, refunded_amount, currency,
	transaction_id, next, flag, deliveries, created_ms, ask_ms, expires_ms, paid_ms, asked_ms, unanswered`

// RefundColumns are the columns of a Refund.
const RefundColumns = `refund_number, pay_number, channel, transaction_id, order_number, amount, currency, reason,
	status, attempts, next_try_ms, last_error, created_ms, done_ms, under_way_ms, renewed, waits_for, part,
	who, note, outside_id`

// SelectPayment reads a payment with its orders; it returns nil if there is none.
func SelectPayment(ctx context.Context, q sqlx.QueryerContext, n order.Number) (*Payment, error) {
	return onePayment(ctx, q, `pay_number = ?`, n)
}

func onePayment(ctx context.Context, q sqlx.QueryerContext, where string, arg any) (*Payment, error) {
	var p Payment
	err := sqlx.GetContext(ctx, q, &p, `SELECT `+PaymentColumns+` FROM payments WHERE `+where, arg)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("select payment: %w", err)
	}
	return &p, FillOrders(ctx, q, &p)
}

// FillOrders reads the parts of a payment, by order number.
func FillOrders(ctx context.Context, q sqlx.QueryerContext, p *Payment) error {
	const query = `SELECT pay_number, order_number, amount FROM payment_orders WHERE pay_number = ?
		ORDER BY order_number`
	if err := sqlx.SelectContext(ctx, q, &p.Orders, query, p.Number); err != nil {
		return fmt.Errorf("select orders of payment %s: %w", p.Number, err)
	}
	return nil
}

// lockPayment locks the payment's row until the transaction ends and reads it.
func lockPayment(ctx context.Context, tx *sqlx.Tx, n order.Number) (*Payment, error) {
	if _, err := tx.ExecContext(ctx, `UPDATE payments SET deliveries = deliveries WHERE pay_number = ?`,
		n); err != nil {
		return nil, fmt.Errorf("lock payment %s: %w", n, err)
	}
	p, err := SelectPayment(ctx, tx, n)
	if err == nil && p == nil {
		err = fmt.Errorf("payment %s no longer exists", n)
	}
	return p, err
}

func insertPayment(ctx context.Context, tx *sqlx.Tx, p *Payment) error {
	const insert = `INSERT INTO payments (` + PaymentColumns +
		`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	_, err := tx.ExecContext(ctx, insert, p.Number, p.User, p.Task, p.Digest, p.Channel, p.Status, p.Amount,
		p.Refunded, p.Currency, p.Transaction, p.NextJSON, p.Flag, p.Deliveries, p.CreatedMS, p.AskMS, p.ExpiresMS,
		p.PaidMS, p.AskedMS, p.Unanswered)
	if err != nil {
		return fmt.Errorf("insert payment %s: %w", p.Number, err)
	}
	if len(p.Orders) == 0 { // an unknown payment has none
		return nil
	}
	args := make([]any, 0, 3*len(p.Orders))
	for _, po := range p.Orders {
		args = append(args, p.Number, po.Order, po.Amount)
	}
	insertOrders := `INSERT INTO payment_orders (pay_number, order_number, amount) VALUES ` +
		sqldb.Repeat("(?,?,?)", len(p.Orders))
	if _, err := tx.ExecContext(ctx, insertOrders, args...); err != nil {
		return fmt.Errorf("insert orders of payment %s: %w", p.Number, err)
	}
	return nil
}

// insertTransaction inserts a transaction of money that came in, and reports whether it was new.
func insertTransaction(ctx context.Context, tx *sqlx.Tx, channel string, n Notification, atMS int64) (bool, error) {
	var had int
	const known = `SELECT COUNT(*) FROM payment_transactions WHERE channel = ? AND transaction_id = ?`
	if err := tx.GetContext(ctx, &had, known, channel, n.TransactionID); err != nil {
		return false, fmt.Errorf("select transaction: %w", err)
	}
	if had > 0 {
		return false, nil
	}
	const insert = `INSERT INTO payment_transactions (channel, transaction_id, pay_number, amount, currency, at_ms)
		VALUES (?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, channel, n.TransactionID, n.PayNumber, n.Amount,
		n.Currency, atMS); err != nil {
		return false, fmt.Errorf("insert transaction: %w", err)
	}
	return true, nil
}

func insertEvent(ctx context.Context, tx *sqlx.Tx, channel string, n Notification, what outcome, atMS int64) error {
	const insert = `INSERT INTO payment_notifications (channel, event_id, pay_number, transaction_id, amount, currency,
		outcome, at_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, channel, n.EventID, n.PayNumber, n.TransactionID, n.Amount, n.Currency,
		what, atMS); err != nil {
		return fmt.Errorf("insert event: %w", err)
	}
	return nil
}

// flagPayment sets the flag of a payment, and writes the event if it had another one. Call it after all other changes
// of the payment, which the event shows.
func flagPayment(ctx context.Context, tx *sqlx.Tx, n order.Number, flag string, atMS int64) error {
	res, err := tx.ExecContext(ctx, `UPDATE payments SET flag = ? WHERE pay_number = ? AND flag <> ?`, flag, n, flag)
	if err != nil {
		return fmt.Errorf("flag payment %s: %w", n, err)
	}
	switch changed, err := res.RowsAffected(); {
	case err != nil:
		return fmt.Errorf("flag payment %s: %w", n, err)
	case changed == 0:
		return nil
	}
	return writeFlagged(ctx, tx, n, atMS)
}

func setPaid(ctx context.Context, tx *sqlx.Tx, n order.Number, status Status, transaction string, atMS int64) error {
	const update = `UPDATE payments SET status = ?, transaction_id = ?, paid_ms = ?
		WHERE pay_number = ? AND status IN ('pending', 'closed')`
	res, err := tx.ExecContext(ctx, update, status, transaction, atMS, n)
	if err != nil {
		return fmt.Errorf("set payment %s %s: %w", n, status, err)
	}
	changed, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("set payment %s %s: %w", n, status, err)
	}
	if changed != 1 {
		return fmt.Errorf("set payment %s %s: it is neither pending nor closed", n, status)
	}
	return nil
}

// standing returns the status of a payment whose orders were paid by a transaction: refunding if the refunds of each
// order amount to its part of the payment, refunded when those are done. If a refund that was made at the gateway is
// of no order, the payment is refunded when all refunds that are done amount to it.
func standing(ctx context.Context, tx *sqlx.Tx, p *Payment, transaction string) (Status, error) {
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
	if err := tx.GetContext(ctx, &back, query, p.Channel, transaction, p.Number); err != nil {
		return "", fmt.Errorf("add up refunds of payment %s: %w", p.Number, err)
	}
	const sum = `SELECT COALESCE(SUM(amount), 0) AS amount,
			COALESCE(SUM(CASE WHEN order_number = 0 THEN 1 ELSE 0 END), 0) AS loose
		FROM refunds WHERE channel = ? AND transaction_id = ? AND status = 'done'`
	var done struct {
		Amount int64 `db:"amount"`
		Loose  int   `db:"loose"` // refunds of no order
	}
	if err := tx.GetContext(ctx, &done, sum, p.Channel, transaction); err != nil {
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

// insertRefund inserts a refund. A pending one is for Refunder; one of amount 0 is done at once.
func insertRefund(ctx context.Context, tx *sqlx.Tx, r *Refund) error {
	if r.Amount == 0 {
		r.Status, r.DoneMS = RefundDone, r.CreatedMS
	}
	const insert = `INSERT INTO refunds (` + RefundColumns +
		`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	_, err := tx.ExecContext(ctx, insert, r.Number, r.Payment, r.Channel, r.Transaction, r.Order, r.Amount, r.Currency,
		r.Reason, r.Status, r.Attempts, r.NextTryMS, r.LastError, r.CreatedMS, r.DoneMS, r.UnderWayMS,
		r.Renewed, r.WaitsFor, r.Part, r.Who, r.Note, r.Outside)
	if err != nil {
		return fmt.Errorf("insert refund of payment %s: %w", r.Payment, err)
	}
	if err := insertItems(ctx, tx, r); err != nil || r.Status != RefundDone {
		return err
	}
	return writeRefundEvent(ctx, tx, journal.RefundDone, r.Number, r.DoneMS)
}

// insertItems inserts the units that a refund names.
func insertItems(ctx context.Context, tx *sqlx.Tx, r *Refund) error {
	if len(r.Items) == 0 {
		return nil
	}
	args := make([]any, 0, 4*len(r.Items))
	for _, u := range r.Items {
		args = append(args, r.Number, u.Line, u.SKU, u.Quantity)
	}
	insert := `INSERT INTO refund_items (refund_number, line, sku_id, quantity) VALUES ` +
		sqldb.Repeat("(?,?,?,?)", len(r.Items))
	if _, err := tx.ExecContext(ctx, insert, args...); err != nil {
		return fmt.Errorf("insert items of refund %s: %w", r.Number, err)
	}
	return nil
}

// FillItems reads the units that refunds name, in one statement.
func FillItems(ctx context.Context, q sqlx.QueryerContext, refunds []Refund) error {
	if len(refunds) == 0 {
		return nil
	}
	byNumber := make(map[order.Number]*Refund, len(refunds))
	args := make([]any, len(refunds))
	for i := range refunds {
		byNumber[refunds[i].Number], args[i] = &refunds[i], refunds[i].Number
	}
	var rows []struct {
		Refund order.Number `db:"refund_number"`
		order.Units
	}
	query := `SELECT refund_number, line, sku_id, quantity FROM refund_items
		WHERE refund_number IN (` + sqldb.In(len(args)) + `) ORDER BY refund_number, line`
	if err := sqlx.SelectContext(ctx, q, &rows, query, args...); err != nil {
		return fmt.Errorf("select items of %d refunds: %w", len(refunds), err)
	}
	for _, row := range rows {
		r := byNumber[row.Refund]
		r.Items = append(r.Items, row.Units)
	}
	return nil
}
