package catalogue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

func TestOrdinaryStockStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		c := goods.New(s).Catalogue
		goods.PutSKUs(t, c, goods.Lamp("sku-1")) // 10 in stock
		sku, err := c.ChangeStock(ctx, "sku-1", 5)
		require.NoError(t, err)
		assert.EqualValues(t, 15, sku.Stock)
		for _, delta := range []int64{-16, 1_000_000_000_000} {
			_, err = c.ChangeStock(ctx, "sku-1", delta)
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "%d", delta)
		}
		sku, err = c.ChangeStock(ctx, "sku-1", -15)
		require.NoError(t, err)
		assert.Zero(t, sku.Stock)
		for _, stock := range []int64{-1, 1_000_000_000_001} {
			_, err = c.SetStock(ctx, "sku-1", 0, stock)
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "%d", stock)
		}
		_, err = c.ChangeStock(ctx, "sku-9", 5)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		_, err = c.SetStock(ctx, "sku-9", 0, 5)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
	})
}

func TestConcurrentOrdinaryStockChangesAddUp(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := goods.New(s).Catalogue
		goods.PutSKUs(t, c, goods.Lamp("sku-1")) // 10 in stock
		for _, err := range kit.AtOnce(48, func(int) error {
			_, err := c.ChangeStock(t.Context(), "sku-1", 2)
			return err
		}) {
			require.NoError(t, err)
		}
		assert.EqualValues(t, 10+48*2, goods.Stock(t, s, "sku-1"))
		for _, err := range kit.AtOnce(48, func(int) error {
			_, err := c.ChangeStock(t.Context(), "absent", 2)
			return err
		}) {
			assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		}
	})
}

func TestOneOfManyNumbersMadeFromAVersionOfTheStockIsSet(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		c := goods.New(s).Catalogue
		read, err := c.PutSKU(ctx, goods.Lamp("sku-1")) // 10 in stock
		require.NoError(t, err)
		assert.EqualValues(t, 1, read.StockVersion)
		var set []catalogue.SKU
		for i, r := range kit.AtOnce(48, func(i int) (r struct {
			catalogue.SKU
			err error
		},
		) {
			r.SKU, r.err = c.SetStock(ctx, "sku-1", read.StockVersion, int64(100+i))
			return r
		}) {
			if r.err == nil {
				assert.EqualValues(t, 100+i, r.Stock)
				set = append(set, r.SKU)
				continue
			}
			assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(r.err), "%v", r.err)
		}
		require.Len(t, set, 1)
		assert.EqualValues(t, 2, set[0].StockVersion)
		assert.Equal(t, set[0].Stock, goods.Stock(t, s, "sku-1"))

		// An order takes units: a number that doesn't know of it would give them back.
		_, err = s.DB.Write.ExecContext(ctx,
			`UPDATE skus SET stock = stock - 1, stock_version = stock_version + 1 WHERE sku_id = 'sku-1'`)
		require.NoError(t, err)
		_, err = c.SetStock(ctx, "sku-1", set[0].StockVersion, 500)
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err))
		free, err := c.SetStock(ctx, "sku-1", 0, 500)
		require.NoError(t, err, "without a version")
		assert.EqualValues(t, 500, free.Stock)
		assert.EqualValues(t, 4, free.StockVersion)
	})
}

func TestStaleVersionIsAConflict(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := goods.New(s)
		c := sh.Catalogue
		read, err := c.PutSKU(ctx, goods.Lamp("sku-1"))
		require.NoError(t, err)
		_, err = c.ChangeStock(ctx, "sku-1", 5)
		require.NoError(t, err)
		read.Title = "First"
		first, err := c.PutSKU(ctx, read)
		require.NoError(t, err, "stock changes leave the version as it is")
		assert.Greater(t, first.Version, read.Version, "also within one millisecond")
		read.Title = "Second"
		_, err = c.PutSKU(ctx, read)
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err))
		got, err := c.SKU(ctx, "sku-1")
		require.NoError(t, err)
		assert.Equal(t, first, got)

		point, err := c.PutPoint(ctx, catalogue.Point{ID: "p1", Name: "East"})
		require.NoError(t, err)
		point.Name = "West"
		changed, err := c.PutPoint(ctx, point)
		require.NoError(t, err)
		assert.Greater(t, changed.Version, point.Version)
		_, err = c.PutPoint(ctx, point)
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err))
		absent := goods.Lamp("sku-2")
		absent.Version = 1
		_, err = c.PutSKU(ctx, absent)
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err), "it was deleted")
	})
}

func TestOneOfManyEditsOfAVersionSucceeds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := goods.New(s).Catalogue
		read, err := c.PutSKU(t.Context(), goods.Lamp("sku-1"))
		require.NoError(t, err)
		won := 0
		for _, err := range kit.AtOnce(48, func(int) error {
			_, err := c.PutSKU(t.Context(), read)
			return err
		}) {
			if err == nil {
				won++
				continue
			}
			assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err))
		}
		assert.Equal(t, 1, won)
	})
}
