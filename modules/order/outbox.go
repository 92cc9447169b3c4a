package order

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// OutboxKind is the kind of a row in stock_outbox that concerns an order: SQL has decided about it, and Redis must
// still be updated.
type OutboxKind string

// The kinds of rows that concern an order.
const (
	OutboxReturn  OutboxKind = "return"  // it was cancelled: its units and counts must be given back
	OutboxConfirm OutboxKind = "confirm" // it was paid: its hold must be removed, its units counted as paid
	OutboxRestock OutboxKind = "restock" // it was refunded and restocked: its units and counts must be given back
)

// OutboxID returns the id of an order's row; an order has at most one row per kind. The id of a restock's row has a
// suffix.
func OutboxID(kind OutboxKind, n Number) string { return string(kind) + ":" + n.String() }

// enqueueStock inserts the outbox row of a seckill order, in the transaction that pays or cancels it.
func enqueueStock(ctx context.Context, tx *sqlx.Tx, kind OutboxKind, o *Order, atMS int64) error {
	return enqueueStocks(ctx, tx, kind, []*Order{o}, "", atMS)
}

// enqueueStocks inserts the outbox rows of many orders, whose ids end with suffix.
func enqueueStocks(
	ctx context.Context, tx *sqlx.Tx, kind OutboxKind, orders []*Order, suffix string, atMS int64,
) error {
	args := make([]any, 0, 9*len(orders))
	for _, o := range orders {
		held := o.Held()
		args = append(args, OutboxID(kind, o.Number)+suffix, kind, o.Activity, held.MarkedSKU(), o.Point, held.Quantity,
			int64(o.Number), o.Buyer(), atMS)
	}
	const insert = `INSERT INTO stock_outbox (outbox_id, kind, state, activity_id, sku_id, point_id, quantity,
		order_number, user_id, created_ms) VALUES`
	if err := sqldb.Insert(ctx, tx, insert, "(?,?,'pending',?,?,?,?,?,?,?)", args); err != nil {
		return fmt.Errorf("enqueue the %s of %d orders: %w", kind, len(orders), err)
	}
	return nil
}
