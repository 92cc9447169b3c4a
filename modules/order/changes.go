package order

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
)

// noteNew writes the events of new orders in the transaction that inserts them.
func noteNew(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	events := make([]journal.Event, len(orders))
	for i, o := range orders {
		kind := journal.OrderPlaced
		if o.Status == Failed {
			kind = journal.OrderFailed
		}
		events[i] = eventOf(o, kind, o.PlacedMS)
	}
	return journal.Write(ctx, tx, events...)
}

// noteChanged writes the events of orders that changed their status. The caller must hold locks on the orders' rows,
// so that the events of an order keep their order.
func noteChanged(ctx context.Context, tx *sqlx.Tx, kind string, atMS int64, orders ...*Order) error {
	events := make([]journal.Event, len(orders))
	for i, o := range orders {
		events[i] = eventOf(o, kind, atMS)
	}
	return journal.Write(ctx, tx, events...)
}

// eventOf returns an event of an order. It has no data, since readers find the order in SQL.
func eventOf(o *Order, kind string, atMS int64) journal.Event {
	return journal.Event{Type: kind, Subject: o.Number.String(), User: o.User, AtMS: atMS}
}
