package pay

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order"
)

// writeEvent writes an event with the JSON of data, in the transaction of the change.
func writeEvent(ctx context.Context, tx *sqlx.Tx, e journal.Event, data map[string]any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("write the event %s of %s: %w", e.Type, e.Subject, err)
	}
	e.Data = string(text)
	return journal.Write(ctx, tx, e)
}

// WriteRefundEvent writes the event of a refund that is done or failed, as it is stored after that.
func WriteRefundEvent(ctx context.Context, tx *sqlx.Tx, kind string, n order.Number, atMS int64) error {
	refund, err := FindRefund(ctx, tx, n)
	if err != nil {
		return err
	}
	var user string
	const query = `SELECT user_id FROM payments WHERE pay_number = ?`
	if err := tx.GetContext(ctx, &user, query, refund.Payment); err != nil {
		return fmt.Errorf("select the user of refund %s: %w", n, err)
	}
	e := journal.Event{Type: kind, Subject: n.String(), User: user, AtMS: atMS}
	return writeEvent(ctx, tx, e, map[string]any{"refund": ShowRefund(refund)})
}
