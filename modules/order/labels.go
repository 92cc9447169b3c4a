package order

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order/sources"
	"onrush/modules/sqldb"
)

// LabelFulfilment is the label that an order has once it is packed: the state of its Fulfilment.
const LabelFulfilment = "fulfilment"

// Label is a text of an order by which operators find it.
type Label struct {
	Name string // as in the API
	Of   func(*Content) string
}

// Labels returns the labels of orders. Each that an order has is a row of order_labels. An order without them, which
// most shops have, costs nothing; an index on a column of orders would cost an entry.
func Labels() []Label {
	return []Label{
		{"client_reference", func(c *Content) string { return c.ClientReference }},
		{"room_id", func(c *Content) string { return c.Room }},
		{"share_code", func(c *Content) string { return c.ShareCode }},
		{"share_source", func(c *Content) string { return c.ShareSource }},
		{"inviter_id", func(c *Content) string { return c.Inviter }},
	}
}

// Source returns the row of an order that operators' sums are made of.
func (o *Order) Source() sources.Row {
	return sources.Row{
		Number: int64(o.Number), Room: o.Room, ShareCode: o.ShareCode, ShareSource: o.ShareSource, Inviter: o.Inviter,
		Shop: o.Shop, Activity: o.Activity, Currency: o.Currency, Amount: o.TotalAmount, Paid: o.PaidMS > 0,
		Refunded: o.RefundedAmount,
	}
}

// insertLabels inserts the labels and sources of new orders, those with the same name after each other.
func insertLabels(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	var args []any
	for _, label := range Labels() {
		for _, o := range orders {
			if value := label.Of(&o.Content); value != "" {
				args = append(args, label.Name, value, int64(o.Number))
			}
		}
	}
	if len(args) == 0 {
		return nil
	}
	const insert = `INSERT INTO order_labels (name, value, number) VALUES`
	if err := sqldb.Insert(ctx, tx, insert, "(?,?,?)", args); err != nil {
		return fmt.Errorf("insert the labels of %d orders: %w", len(orders), err)
	}
	rows := make([]sources.Row, len(orders))
	for i, o := range orders {
		rows[i] = o.Source()
	}
	return sources.Insert(ctx, tx, rows)
}
