package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// Cards has orders of vouchers, each at 100, without a sale.
type Cards struct {
	Payer *order.Payer

	db   *sqldb.DB
	atMS int64
	next order.Number
}

// NewCards returns Cards whose orders are paid and refunded at a time.
func NewCards(stores *kit.Stores, at time.Time) *Cards {
	codes := kit.IDs(11)
	return &Cards{
		Payer: order.NewPayer(func() string { return strings.ToUpper(codes()) }, nil, nil),
		db:    stores.DB, atMS: at.UnixMilli(),
	}
}

// Place stores an unpaid order.
func (c *Cards) Place(t testing.TB, cards int64) order.Number {
	t.Helper()
	c.next++
	o := &order.Order{
		Number: c.next, User: "ada", Task: "task-" + c.next.String(), Status: order.Unpaid,
		Content: order.Content{
			Type: order.Ordinary, Kind: catalogue.Voucher, Shop: "shop", Point: catalogue.DefaultPoint, Currency: "CNY",
			Delivery: catalogue.None, PlacedAt: api.Millis(1), GoodsAmount: 100 * cards, TotalAmount: 100 * cards,
			Items: []order.Item{{SKU: "card", Title: "Card", Kind: catalogue.Voucher, Quantity: cards, Price: 100}},
		},
	}
	require.NoError(t, c.db.InTx(t.Context(), func(tx *sqlx.Tx) error {
		return order.Insert(t.Context(), tx, []*order.Order{o}, nil)
	}))
	return o.Number
}

// Pay pays an order and reports whether this call did.
func (c *Cards) Pay(ctx context.Context, n order.Number) (won bool, err error) {
	err = c.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		won, err = c.Payer.Pay(ctx, tx, n, c.atMS, order.LogLine{Actor: "gateway:test"})
		return err
	})
	return won, err
}

// Buy stores a paid order, and returns its number and codes.
func (c *Cards) Buy(t testing.TB, cards int64) (order.Number, []string) {
	t.Helper()
	n := c.Place(t, cards)
	_, err := c.Pay(t.Context(), n)
	require.NoError(t, err)
	codes, _ := c.Codes(t, n)
	require.Len(t, codes, int(cards))
	return n, codes
}

// Codes returns the codes of an order as its buyer sees them, and how many units wait for one.
func (c *Cards) Codes(t testing.TB, n order.Number) (codes []string, waiting int64) {
	t.Helper()
	stored, err := order.Select(t.Context(), c.db.Read, n)
	require.NoError(t, err)
	require.NoError(t, complete.FillVouchers(t.Context(), c.db.Read, []*order.Order{stored}))
	return stored.Items[0].VoucherCodes, stored.Items[0].VouchersWaiting
}

// Refund refunds a part of an order.
func (c *Cards) Refund(ctx context.Context, n order.Number, part order.Part) error {
	return c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := c.Payer.Refund(ctx, tx, n, part, c.atMS, order.LogLine{Actor: "operator:grace"})
		return err
	})
}

// Statuses lists the statuses of the vouchers of an order, by unit.
func (c *Cards) Statuses(t testing.TB, n order.Number) string {
	t.Helper()
	var found []string
	require.NoError(t, c.db.Read.SelectContext(t.Context(), &found,
		`SELECT status FROM vouchers WHERE order_number = ? ORDER BY unit`, n))
	return strings.Join(found, " ")
}

// Units is a part of so many cards.
func Units(cards int64) order.Part {
	return order.Part{Items: []order.Units{{SKU: "card", Quantity: cards}}}
}
