package admin

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
)

// Restock gives back the units of a completely refunded order, and what they count under purchase limits. An order that
// was restocked before stays so, without an error. Errors: as of order.Restock.
func (d *Decider) Restock(ctx context.Context, n order.Number, by order.LogLine, reason string) error {
	var o *order.Order
	var won bool
	err := d.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		if o, won, err = order.Restock(ctx, tx, n, d.now().UnixMilli(), by); err != nil || !won {
			return err
		}
		return record(ctx, tx, "order.restocked", n, reason)
	})
	if err == nil && won {
		d.outbox.RestockAtOnce(ctx, o)
	}
	return err
}
