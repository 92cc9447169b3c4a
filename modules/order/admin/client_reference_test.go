package admin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/kit"
)

func TestOperatorsFindOrdersByClientReferenceWithoutAScan(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		var orders []*order.Order
		for n := range 200 { // MySQL reads a smaller table whole
			o := &order.Order{
				Number: order.Number(n + 1), Task: fmt.Sprint(n), Status: order.Unpaid,
				Content: order.Content{
					Type: order.Ordinary, Kind: catalogue.Virtual, Items: []order.Item{{SKU: "s", Quantity: 1}},
				},
			}
			if n == 50 || n == 60 {
				o.ClientReference = "PO/1"
			}
			orders = append(orders, o)
		}
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error { return order.Insert(ctx, tx, orders, nil) }))
		for reference, want := range map[string][]order.Number{"PO/1": {61, 51}, "po/1": {}, "PO/": {}} {
			list, err := NewService(s.DB, stored{}).List(ctx, Filter{ClientReference: reference},
				api.Page{Page: 1, Size: 10})
			require.NoError(t, err)
			found := []order.Number{}
			for _, v := range list.Items {
				found = append(found, v.Number)
				assert.Equal(t, reference, v.ClientReference)
			}
			assert.Equal(t, want, found, reference)
		}
		query, args := Filter{ClientReference: "PO/1"}.newest(0, 10, 0)
		plan := kit.Explain(t, s.DB, query, args...)
		assert.Contains(t, plan, "order_labels", "%s", plan)
		assert.NotContains(t, plan, "orders", "no order is read")
		assert.NotContains(t, strings.ToLower(plan), "temp", "rows come in the order of the index")
		assert.NotContains(t, plan, "filesort")
	})
}

// Only the newest of the orders with a reference are looked at for a shop: all orders may have the same one.
func TestAShopFindsAReferenceAmongTheNewestOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := api.WithShop(t.Context(), "own")
		var orders []*order.Order
		for n := range maxLabelled + 2 {
			o := &order.Order{Number: order.Number(n + 1), Task: fmt.Sprint(n), Status: order.Unpaid}
			o.Type, o.Kind, o.Items = order.Ordinary, catalogue.Virtual, []order.Item{{SKU: "s", Quantity: 1}}
			o.Shop, o.ClientReference = "other", "PO/1"
			if n == 1 || n == 2 {
				o.Shop = "own"
			}
			orders = append(orders, o)
		}
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error { return order.Insert(ctx, tx, orders, nil) }))
		hits, err := NewService(s.DB, stored{}).Find(ctx, "PO/1", maxHits)
		require.NoError(t, err)
		require.Len(t, hits, 1)
		assert.Equal(t, "3", hits[0].ID)
	})
}
