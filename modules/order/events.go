package order

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
)

// Changed is called in a transaction that changes orders, after it wrote their events and before it locks rows that
// other orders share. events[i] is what happened to orders[i], which is as it is then. Nil does nothing.
type Changed func(ctx context.Context, tx *sqlx.Tx, events []journal.Event, orders []*Order) error

// write writes the events of orders, and then calls c.
func (c Changed) write(ctx context.Context, tx *sqlx.Tx, events []journal.Event, orders []*Order) error {
	if err := journal.Write(ctx, tx, events...); err != nil || c == nil {
		return err
	}
	return c(ctx, tx, events, orders)
}

// writePlaced writes the events of new orders in the transaction that inserts them.
func (c Changed) writePlaced(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	events := make([]journal.Event, len(orders))
	for i, o := range orders {
		kind := journal.OrderPlaced
		if o.Status == Failed {
			kind = journal.OrderFailed
		}
		events[i] = eventOf(o, kind, int64(o.PlacedAt))
	}
	return c.write(ctx, tx, events, orders)
}

// writeStatuses writes the events of orders that changed their status. The caller must hold locks on the orders'
// rows, so that the events of an order keep their order.
func (c Changed) writeStatuses(ctx context.Context, tx *sqlx.Tx, kind string, atMS int64, orders ...*Order) error {
	events := make([]journal.Event, len(orders))
	for i, o := range orders {
		events[i] = eventOf(o, kind, atMS)
	}
	return c.write(ctx, tx, events, orders)
}

// RefundState is the data of the event of a refund: the state of the order after it, which the next refund overwrites
// in the order.
type RefundState struct {
	Status Status `json:"status"` // refunded if the whole order is refunded, or else paid
	Amount int64  `json:"refunded_amount"`
	// Refund is this refund.
	Refund RefundOfOrder `json:"refund,omitzero"`
}

// RefundOfOrder is one refund in the events of its order.
type RefundOfOrder struct {
	Number   Number  `json:"refund_number"`
	Amount   int64   `json:"amount"`
	Currency string  `json:"currency"`
	Items    []Units `json:"items,omitempty"` // that the refund named
}

// writeRefunded writes the event of a refund of an order, or of a part of it.
func (c Changed) writeRefunded(
	ctx context.Context, tx *sqlx.Tx, atMS int64, o *Order, r *Returned, refund Number,
) error {
	state := RefundState{
		Status: Paid, Amount: o.RefundedAmount + r.Amount,
		Refund: RefundOfOrder{Number: refund, Amount: r.Amount, Currency: o.Currency, Items: r.Items},
	}
	if r.Whole {
		state.Status = Refunded
	}
	data, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("write the event of a refund of order %s: %w", o.Number, err)
	}
	e := eventOf(o, journal.OrderRefunded, atMS)
	e.Data = string(data)
	after := *o
	after.Status, after.RefundedAmount = state.Status, state.Amount
	return c.write(ctx, tx, []journal.Event{e}, []*Order{&after})
}

// eventOf returns an event of an order without data, since readers find the order in SQL.
func eventOf(o *Order, kind string, atMS int64) journal.Event {
	return journal.Event{Type: kind, Subject: o.Number.String(), User: o.User, AtMS: atMS}
}
