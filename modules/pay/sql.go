package pay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// PaymentColumns are the columns of a Payment.
const PaymentColumns = `pay_number, user_id, task_id, digest, channel, status, amount, refunded_amount, currency,
	transaction_id, next_step, flag, deliveries, created_ms, ask_ms, expires_ms, paid_ms, asked_ms, unanswered`

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

// LockPayment locks the payment's row until the transaction ends and reads it.
func LockPayment(ctx context.Context, tx *sqlx.Tx, n order.Number) (*Payment, error) {
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

// InsertPayment inserts a payment with the parts of its orders.
func InsertPayment(ctx context.Context, tx *sqlx.Tx, p *Payment) error {
	const insert = `INSERT INTO payments (` + PaymentColumns +
		`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, p.Number, p.User, p.Task, p.Digest, p.Channel, p.Status, p.Amount,
		p.Refunded, p.Currency, p.Transaction, p.NextJSON, p.Flag, p.Deliveries, p.CreatedMS, p.AskMS, p.ExpiresMS,
		p.PaidMS, p.AskedMS, p.Unanswered); err != nil {
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

// FlagPayment sets the flag of a payment, and writes the event if it had another one. Call it after all other changes
// of the payment, which the event shows.
func FlagPayment(ctx context.Context, tx *sqlx.Tx, n order.Number, flag string, atMS int64) error {
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
	p, err := SelectPayment(ctx, tx, n)
	if err == nil && p == nil {
		err = fmt.Errorf("flag payment %s: it no longer exists", n)
	}
	if err != nil {
		return err
	}
	e := journal.Event{Type: journal.PaymentFlagged, Subject: n.String(), User: p.User, AtMS: atMS}
	return writeEvent(ctx, tx, e, map[string]any{"payment": ShowForOperators(p)})
}

// InsertRefund inserts a refund of a user's payment. A pending one is for Refunder; one of amount 0 is done at once.
func InsertRefund(ctx context.Context, tx *sqlx.Tx, user string, r *Refund) error {
	if r.Amount == 0 {
		r.Status, r.DoneMS = RefundDone, r.CreatedMS
	}
	const insert = `INSERT INTO refunds (` + RefundColumns +
		`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, r.Number, r.Payment, r.Channel, r.Transaction, r.Order, r.Amount,
		r.Currency, r.Reason, r.Status, r.Attempts, r.NextTryMS, r.LastError, r.CreatedMS, r.DoneMS, r.UnderWayMS,
		r.Renewed, r.WaitsFor, r.Part, r.Who, r.Note, r.Outside); err != nil {
		return fmt.Errorf("insert refund of payment %s: %w", r.Payment, err)
	}
	if r.Status != RefundDone {
		return nil
	}
	e := journal.Event{Type: journal.RefundDone, Subject: r.Number.String(), User: user, AtMS: r.DoneMS}
	return writeEvent(ctx, tx, e, map[string]any{"refund": ShowRefund(r)})
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

// NotificationExpiries selects the gateways' notifications from before a time. Transactions are kept, so that money is
// still processed only once.
func NotificationExpiries(before time.Time) []sqldb.Expiry {
	return []sqldb.Expiry{
		{
			Table: "payment_notifications", Key: []string{"channel", "event_id"}, Where: "at_ms < ?",
			Args: []any{before.UnixMilli()},
		},
	}
}
