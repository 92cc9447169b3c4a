package pay

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order"
)

// writeFlagged writes the event of a payment that was flagged, in the transaction that flags it.
func writeFlagged(ctx context.Context, tx *sqlx.Tx, n order.Number, atMS int64) error {
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

// writeRefundEvent writes the event of a refund that is done or failed, in the transaction that says so.
func writeRefundEvent(ctx context.Context, tx *sqlx.Tx, kind string, n order.Number, atMS int64) error {
	refund, err := FindRefund(ctx, tx, n)
	if err != nil {
		return err
	}
	var user string
	const query = `SELECT user_id FROM payments WHERE pay_number = ?`
	if err := tx.GetContext(ctx, &user, query, refund.Payment); err != nil {
		return fmt.Errorf("select the user of refund %s: %w", n, err)
	}
	data, err := json.Marshal(map[string]any{"refund": ShowRefund(refund)})
	if err != nil {
		return fmt.Errorf("write the event of refund %s: %w", n, err)
	}
	return journal.Write(ctx, tx, journal.Event{
		Type: kind, Subject: n.String(), User: user, AtMS: atMS, Data: string(data),
	})
}
