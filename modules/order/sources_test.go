package order_test

import (
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/sources"
	"onrush/test/kit"
)

// The sources of an order follow its payment and its refunds, and an order without any has no row.
func TestSourcesFollowTheOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newCards(stores)
		plain, _ := w.Buy(t, 1)
		named := order.Number(77)
		o := order.Order{Number: named, User: "ann", Task: "task", Status: order.Unpaid, Content: order.Content{
			Type: order.Ordinary, Kind: catalogue.Virtual, Shop: "shop", Currency: "CNY", TotalAmount: 300,
			Delivery: catalogue.None, Room: "room", Inviter: "bob", PlacedAt: 1,
			Items: []order.Item{{Line: 1, SKU: "lamp", Kind: catalogue.Virtual, Quantity: 3, Price: 100}},
		}}
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return order.Insert(t.Context(), tx, []*order.Order{&o}, nil)
		}))
		want := sources.Row{
			Number: 77, Room: "room", Inviter: "bob", Shop: "shop", Currency: "CNY", Amount: 300,
		}
		is := func(what string) {
			t.Helper()
			var rows []sources.Row
			require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &rows, `SELECT * FROM order_sources`))
			assert.Equal(t, []sources.Row{want}, rows, what)
		}
		is("placed")
		_, err := w.Pay(t.Context(), named)
		require.NoError(t, err)
		want.Paid = true
		is("paid")
		require.NoError(t, w.Refund(t.Context(), named, order.Part{Amount: new(int64(120))}))
		want.Refunded = 120
		is("partly refunded")
		require.Error(t, w.Refund(t.Context(), named, order.Part{Amount: new(int64(181))}))
		is("refused")
		require.NoError(t, w.Refund(t.Context(), named, order.Part{}))
		want.Refunded = 300
		is("refunded")
		require.NoError(t, w.Refund(t.Context(), plain, order.Part{}))
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return order.ForgetInviter(t.Context(), tx, "bob", "erased-1", []order.Number{named})
		}))
		want.Inviter = "erased-1"
		is("the inviter is erased")
	})
}
