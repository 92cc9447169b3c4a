package order

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// The kinds of rows in stock_outbox that stand for an order: what SQL decided about it and Redis
// must still carry out.
const (
	outboxReturn  = "return"  // it was cancelled: its units and counts come back
	outboxConfirm = "confirm" // it was paid: its token goes, its units count as paid
)

// outboxID names the row of an order; there is one of each kind.
func outboxID(kind string, n Number) string { return kind + ":" + n.String() }

// noteOutbox leaves what Redis must still do about a seckill order, in the transaction that
// decided it.
func noteOutbox(ctx context.Context, tx *sqlx.Tx, kind string, o *Order, atMS int64) error {
	it := o.Items[0]
	const insert = `INSERT INTO stock_outbox (outbox_id, kind, state, activity_id, sku_id, point_id, quantity, order_number, user_id, created_ms)
		VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?)`
	_, err := tx.ExecContext(ctx, insert, outboxID(kind, o.Number), kind, o.Activity, it.SKU, o.Point, it.Quantity, o.Number, o.User, atMS)
	if err != nil {
		return fmt.Errorf("note the %s of order %s: %w", kind, o.Number, err)
	}
	return nil
}
