package pay

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order"
)

// noteFlagged writes the event of a payment that was flagged, in the transaction that flags it.
func noteFlagged(ctx context.Context, tx *sqlx.Tx, n order.Number, atMS int64) error {
	p, err := SelectPayment(ctx, tx, n)
	if err != nil {
		return err
	}
	if p == nil {
		return fmt.Errorf("write the event of payment %s: it no longer exists", n)
	}
	data, err := json.Marshal(map[string]any{"payment": ShowForOperators(p)})
	if err != nil {
		return fmt.Errorf("write the event of payment %s: %w", n, err)
	}
	return journal.Write(ctx, tx, journal.Event{
		Type: journal.PaymentFlagged, Subject: n.String(), User: p.User, AtMS: atMS, Data: string(data),
	})
}

// noteFailed writes the event of a refund that failed, in the transaction that says so.
func noteFailed(ctx context.Context, tx *sqlx.Tx, n order.Number, atMS int64) error {
	var r struct {
		Refund
		User string `db:"user_id"`
	}
	query := `SELECT ` + RefundColumns + `, (SELECT p.user_id FROM payments p
		WHERE p.pay_number = refunds.pay_number) AS user_id FROM refunds WHERE refund_number = ?`
	if err := tx.GetContext(ctx, &r, query, n); err != nil {
		return fmt.Errorf("select refund %s: %w", n, err)
	}
	data, err := json.Marshal(map[string]any{"refund": ShowRefund(&r.Refund)})
	if err != nil {
		return fmt.Errorf("write the event of refund %s: %w", n, err)
	}
	return journal.Write(ctx, tx, journal.Event{
		Type: journal.RefundFailed, Subject: n.String(), User: r.User, AtMS: atMS, Data: string(data),
	})
}
