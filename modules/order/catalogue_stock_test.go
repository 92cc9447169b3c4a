package order

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/web/problem"
)

func TestEditOfASKUSellsNothingAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := newShop(s)
		sku := aCode("sku-1", "shop-a") // 5 in stock
		putSKUs(t, sh.catalogue, sku)
		placer := newPlacer(s, sh, counting())
		_, err := placer.Place(ctx, "u", "key-1", "", OrdinaryRequest{Items: items("sku-1", 4)})
		require.NoError(t, err)

		sku.Title = "New title" // the stock is sent back as it was read before
		edited, err := sh.catalogue.PutSKU(ctx, sku)
		require.NoError(t, err)
		assert.EqualValues(t, 1, edited.Stock)
		assert.Equal(t, "New title", edited.Title)
		assert.EqualValues(t, 1, stockOf(t, s, "sku-1"))
		_, err = placer.Place(ctx, "u", "key-2", "", OrdinaryRequest{Items: items("sku-1", 2)})
		assert.Equal(t, CodeSoldOut, problem.CodeOf(err))
	})
}

func TestOrdinaryStockChangesOncePerKey(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		c := newShop(s).catalogue
		putSKUs(t, c, lamp("sku-1"), lamp("sku-2")) // 10 in stock each
		for range 2 {
			sku, err := c.ChangeStock(ctx, "sku-1", "raise", 5)
			require.NoError(t, err)
			assert.EqualValues(t, 15, sku.Stock)
		}
		_, err := c.ChangeStock(ctx, "sku-1", "raise", 6)
		assert.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(err))
		other, err := c.ChangeStock(ctx, "sku-2", "raise", 6)
		require.NoError(t, err, "the key of another sku is another one")
		assert.EqualValues(t, 16, other.Stock)

		for _, delta := range []int64{-16, 1_000_000_000_000} {
			_, err = c.ChangeStock(ctx, "sku-1", "refused", delta)
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "%d", delta)
		}
		sku, err := c.ChangeStock(ctx, "sku-1", "refused", -15)
		require.NoError(t, err, "a refusal is not remembered")
		assert.Zero(t, sku.Stock)
		_, err = c.ChangeStock(ctx, "sku-9", "raise", 5)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
	})
}

func TestOrdinaryStockChangesAtOnceAddUp(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := newShop(s).catalogue
		putSKUs(t, c, lamp("sku-1")) // 10 in stock
		for name, key := range map[string]func(i int) string{
			"own keys": func(i int) string { return fmt.Sprint("key-", i) },
			"one key":  func(int) string { return "key" },
		} {
			errs := make([]error, 48)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { _, errs[i] = c.ChangeStock(t.Context(), "sku-1", key(i), 2) })
			}
			all.Wait()
			for _, err := range errs {
				require.NoError(t, err, name)
			}
		}
		assert.EqualValues(t, 10+48*2+2, stockOf(t, s, "sku-1"))
		errs := make([]error, 48)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, errs[i] = c.ChangeStock(t.Context(), "absent", fmt.Sprint("key-", i), 2) })
		}
		all.Wait()
		for _, err := range errs {
			assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		}
	})
}

func TestStaleVersionIsAConflict(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := newShop(s)
		c := sh.catalogue
		read, err := c.PutSKU(ctx, lamp("sku-1"))
		require.NoError(t, err)
		_, err = c.ChangeStock(ctx, "sku-1", "raise", 5)
		require.NoError(t, err)
		read.Title = "First"
		first, err := c.PutSKU(ctx, read)
		require.NoError(t, err, "stock changes leave the version as it is")
		assert.Greater(t, first.Version, read.Version, "also within one millisecond")
		read.Title = "Second"
		_, err = c.PutSKU(ctx, read)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		got, err := c.SKU(ctx, "sku-1")
		require.NoError(t, err)
		assert.Equal(t, first, got)

		point, err := c.PutPoint(ctx, Point{ID: "p1", Name: "East"})
		require.NoError(t, err)
		point.Name = "West"
		changed, err := c.PutPoint(ctx, point)
		require.NoError(t, err)
		assert.Greater(t, changed.Version, point.Version)
		_, err = c.PutPoint(ctx, point)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		absent := lamp("sku-2")
		absent.Version = 1
		_, err = c.PutSKU(ctx, absent)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "it was deleted")
	})
}

func TestOneOfManyEditsOfAVersionWins(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := newShop(s).catalogue
		read, err := c.PutSKU(t.Context(), lamp("sku-1"))
		require.NoError(t, err)
		errs := make([]error, 48)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, errs[i] = c.PutSKU(t.Context(), read) })
		}
		all.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		}
		assert.Equal(t, 1, won)
	})
}

func TestUnusedSKUIsDeletedAndOneInUseIsNot(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := newShop(s)
		c := sh.catalogue
		putSKUs(t, c, aCode("sku-1", "shop-a"), aCode("sku-2", "shop-a"))
		placed, err := newPlacer(s, sh, counting()).Place(ctx, "u", "key", "", OrdinaryRequest{Items: items("sku-1", 1)})
		require.NoError(t, err)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(c.DeleteSKU(ctx, "sku-1")), "an unpaid order gives units back")
		require.NoError(t, c.DeleteSKU(ctx, "sku-2"))
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(c.DeleteSKU(ctx, "sku-2")))
		_, err = c.SKU(ctx, "sku-2")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))

		_, err = s.DB.Write.ExecContext(ctx, `UPDATE orders SET status = 'paid' WHERE number = ?`, placed[0].Number)
		require.NoError(t, err)
		require.NoError(t, c.DeleteSKU(ctx, "sku-1"))
		one, err := patientOrders(s).One(ctx, "u", placed[0].Number)
		require.NoError(t, err)
		assert.Equal(t, "Code sku-1", one.Items[0].Title, "orders keep what they are for")

		putPoints(t, c, Point{ID: "p1"})
		require.NoError(t, c.DeletePoint(ctx, "p1"))
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(c.DeletePoint(ctx, "p1")))
	})
}

// An order is either placed before its sku is deleted, which keeps the sku, or finds none.
func TestSKUsAreDeletedBesideOrdersOfThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := newShop(s)
		placer := newPlacer(s, sh, counting())
		for round := range 5 {
			putSKUs(t, sh.catalogue, aCode("sku-1", "shop-a"))
			errs := make([]error, 48)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() {
					if i%4 == 0 {
						errs[i] = sh.catalogue.DeleteSKU(t.Context(), "sku-1")
						return
					}
					_, errs[i] = placer.Place(t.Context(), "u", fmt.Sprint(round, "-", i), "", OrdinaryRequest{Items: items("sku-1", 1)})
				})
			}
			all.Wait()
			for i, err := range errs {
				if err == nil || errors.Is(err, context.DeadlineExceeded) { // on a busy machine
					continue
				}
				assert.Contains(t, []problem.Code{problem.CodeConflict, problem.CodeNotFound, CodeSoldOut}, problem.CodeOf(err), "%d: %v", i, err)
			}
		}
		var orphans int
		require.NoError(t, s.DB.Read.GetContext(t.Context(), &orphans, `SELECT COUNT(*) FROM orders o JOIN order_items i ON i.order_number = o.number
			WHERE NOT EXISTS (SELECT 1 FROM skus WHERE skus.sku_id = i.sku_id)`))
		assert.Zero(t, orphans)
	})
}
