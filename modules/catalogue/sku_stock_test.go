package catalogue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

func TestOrdinaryStockChangesOncePerKey(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		c := goods.New(s).Catalogue
		goods.PutSKUs(t, c, goods.Lamp("sku-1"), goods.Lamp("sku-2")) // 10 in stock each
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

func TestConcurrentOrdinaryStockChangesAddUp(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := goods.New(s).Catalogue
		goods.PutSKUs(t, c, goods.Lamp("sku-1")) // 10 in stock
		for name, key := range map[string]func(i int) string{
			"own keys": func(i int) string { return fmt.Sprint("key-", i) },
			"one key":  func(int) string { return "key" },
		} {
			for _, err := range kit.AtOnce(48, func(i int) error {
				_, err := c.ChangeStock(t.Context(), "sku-1", key(i), 2)
				return err
			}) {
				require.NoError(t, err, name)
			}
		}
		assert.EqualValues(t, 10+48*2+2, goods.Stock(t, s, "sku-1"))
		for _, err := range kit.AtOnce(48, func(i int) error {
			_, err := c.ChangeStock(t.Context(), "absent", fmt.Sprint("key-", i), 2)
			return err
		}) {
			assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		}
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
		_, err = c.ChangeStock(ctx, "sku-1", "raise", 5)
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
