package ordinary

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

func TestEditOfASKUKeepsItsSoldUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := goods.New(s)
		sku := goods.Code("sku-1", "shop-a") // 5 in stock
		goods.PutSKUs(t, sh.Catalogue, sku)
		placer := newPlacer(s, sh, counting())
		_, _, err := placer.Place(ctx, "u", "key-1", "", Request{Items: items("sku-1", 4)})
		require.NoError(t, err)

		sku.Title = "New title" // the stock is sent back as it was read before
		edited, err := sh.Catalogue.PutSKU(ctx, sku)
		require.NoError(t, err)
		assert.EqualValues(t, 1, edited.Stock)
		assert.Equal(t, "New title", edited.Title)
		assert.EqualValues(t, 1, goods.Stock(t, s, "sku-1"))
		_, _, err = placer.Place(ctx, "u", "key-2", "", Request{Items: items("sku-1", 2)})
		assert.Equal(t, order.CodeSoldOut, problem.CodeOf(err))
	})
}

func TestUnusedSKUIsDeletedAndOneInUseIsNot(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := goods.New(s)
		c := sh.Catalogue
		goods.PutSKUs(t, c, goods.Code("sku-1", "shop-a"), goods.Code("sku-2", "shop-a"))
		placed, _, err := newPlacer(s, sh, counting()).Place(ctx, "u", "key", "", Request{Items: items("sku-1", 1)})
		require.NoError(t, err)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(c.DeleteSKU(ctx, "sku-1", 0)),
			"an unpaid order gives units back")
		require.NoError(t, c.DeleteSKU(ctx, "sku-2", 0))
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(c.DeleteSKU(ctx, "sku-2", 0)))
		_, err = c.SKU(ctx, "sku-2")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))

		_, err = s.DB.Write.ExecContext(ctx, `UPDATE orders SET status = 'paid' WHERE number = ?`, placed[0].Number)
		require.NoError(t, err)
		require.NoError(t, c.DeleteSKU(ctx, "sku-1", 0))
		one, err := ordersOf(s).Get(ctx, "u", placed[0].Number)
		require.NoError(t, err)
		assert.Equal(t, "Code sku-1", one.Items[0].Title, "orders keep what they are for")

		goods.PutPoints(t, c, catalogue.Point{ID: "p1"})
		require.NoError(t, c.DeletePoint(ctx, "p1", 0))
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(c.DeletePoint(ctx, "p1", 0)))
	})
}

// An order is either placed before its sku is deleted, which keeps the sku, or finds none.
func TestSKUsAreDeletedDuringOrdersOfThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		placer := newPlacer(s, sh, counting())
		for round := range 5 {
			goods.PutSKUs(t, sh.Catalogue, goods.Code("sku-1", "shop-a"))
			errs := make([]error, 48)
			kit.Crowd(len(errs), func(i int) {
				if i%4 == 0 {
					errs[i] = sh.Catalogue.DeleteSKU(t.Context(), "sku-1", 0)
					return
				}
				_, _, errs[i] = placer.Place(t.Context(), "u", fmt.Sprint(round, "-", i), "",
					Request{Items: items("sku-1", 1)})
			})
			for i, err := range errs {
				if err == nil || errors.Is(err, context.DeadlineExceeded) { // on a busy machine
					continue
				}
				assert.Contains(t, []problem.Code{problem.CodeConflict, problem.CodeNotFound, order.CodeSoldOut},
					problem.CodeOf(err), "%d: %v", i, err)
			}
		}
		var orphans int
		require.NoError(t, s.DB.Read.GetContext(t.Context(),
			&orphans, `SELECT COUNT(*) FROM orders o JOIN order_items i ON i.order_number = o.number
			WHERE NOT EXISTS (SELECT 1 FROM skus WHERE skus.sku_id = i.sku_id)`))
		assert.Zero(t, orphans)
	})
}
