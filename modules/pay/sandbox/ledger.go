package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/pay"
)

// transactionRow is a transaction of a payment that is not completely refunded.
type transactionRow struct {
	Transaction string `db:"transaction_id"`
	Amount      int64  `db:"amount"`
	Currency    string `db:"currency"`
}

// findMoney returns the transaction that paid a payment: one with the correct amount before others, then
// the oldest. Completely refunded transactions are ignored. If there is none, the error is sql.ErrNoRows.
func findMoney(
	ctx context.Context, q sqlx.QueryerContext, n order.Number, amount int64, currency string,
) (*transactionRow, error) {
	const query = `SELECT t.transaction_id, t.amount, t.currency FROM sandbox_transactions t WHERE t.pay_number = ?
		AND (SELECT COALESCE(SUM(r.amount), -1) FROM sandbox_refunds r
		WHERE r.transaction_id = t.transaction_id) < t.amount
		ORDER BY CASE WHEN t.amount = ? AND t.currency = ? THEN 0 ELSE 1 END, t.at_ms, t.transaction_id LIMIT 1`
	var m transactionRow
	return &m, sqlx.GetContext(ctx, q, &m, query, n, amount, currency)
}

// Query returns the transaction that paid a payment, if any.
func (g *Gateway) Query(ctx context.Context, p *pay.Payment) (pay.Found, error) {
	m, err := findMoney(ctx, g.db.Write, p.Number, p.Amount, p.Currency)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return pay.Found{}, nil
	case err != nil:
		return pay.Found{}, fmt.Errorf("sandbox: query payment %s: %w", p.Number, err)
	}
	return pay.Found{Paid: true, TransactionID: m.Transaction, Amount: m.Amount, Currency: m.Currency}, nil
}

// Close makes the page accept no more money for a payment, except late money.
func (g *Gateway) Close(ctx context.Context, p *pay.Payment) error {
	if err := g.add(ctx, p); err != nil { // its Begin may have failed
		return fmt.Errorf("sandbox: close payment %s: %w", p.Number, err)
	}
	err := g.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := lockPayment(ctx, tx, p.Number); err != nil {
			return err
		}
		_, err := findMoney(ctx, tx, p.Number, p.Amount, p.Currency)
		switch {
		case err == nil:
			return pay.ErrPaid
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE sandbox_payments SET closed_ms = ? WHERE pay_number = ? AND closed_ms = 0`,
			g.now().UnixMilli(), p.Number)
		return err
	})
	if err != nil {
		return fmt.Errorf("sandbox: close payment %s: %w", p.Number, err)
	}
	return nil
}

// refusal is the reason why the sandbox refuses a refund. Every other error is one of the store.
type refusal string

func (e refusal) Error() string { return string(e) }

// Refund refunds money of a transaction, once per refund number and never more than its amount.
func (g *Gateway) Refund(ctx context.Context, r *pay.Refund) error {
	err := g.db.InTx(ctx, func(tx *sqlx.Tx) error { return g.refundIn(ctx, tx, r) })
	if err == nil {
		return nil
	}
	if _, refused := errors.AsType[refusal](err); !refused {
		err = fmt.Errorf("%w: %w", pay.ErrUnavailable, err)
	}
	return fmt.Errorf("sandbox: refund %s: %w", r.Number, err)
}

func (g *Gateway) refundIn(ctx context.Context, tx *sqlx.Tx, r *pay.Refund) error {
	// Locks the row, so that concurrent refunds are added up one after the other.
	if _, err := tx.ExecContext(ctx, `UPDATE sandbox_transactions SET at_ms = at_ms WHERE transaction_id = ?`,
		r.Transaction); err != nil {
		return err
	}
	var had struct {
		Transaction string `db:"transaction_id"`
		Amount      int64  `db:"amount"`
	}
	err := tx.GetContext(ctx, &had, `SELECT transaction_id, amount FROM sandbox_refunds WHERE refund_number = ?`,
		r.Number)
	switch {
	case err == nil && had.Transaction == r.Transaction && had.Amount == r.Amount:
		return nil // it was sent before
	case err == nil:
		return refusal("the number was used for another refund")
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	var money struct {
		transactionRow
		Back int64 `db:"back"`
	}
	const find = `SELECT t.transaction_id, t.amount, t.currency,
		(SELECT COALESCE(SUM(r.amount), 0) FROM sandbox_refunds r WHERE r.transaction_id = t.transaction_id) AS back
		FROM sandbox_transactions t WHERE t.transaction_id = ?`
	err = tx.GetContext(ctx, &money, find, r.Transaction)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return refusal("there is no such transaction")
	case err != nil:
		return err
	case money.Currency != r.Currency:
		return refusal("the transaction has another currency")
	case r.Amount < 0 || r.Amount > money.Amount-money.Back:
		return refusal("more than is left of the transaction")
	}
	const insert = `INSERT INTO sandbox_refunds (refund_number, transaction_id, amount, at_ms) VALUES (?, ?, ?, ?)`
	_, err = tx.ExecContext(ctx, insert, r.Number, r.Transaction, r.Amount, g.now().UnixMilli())
	return err
}
