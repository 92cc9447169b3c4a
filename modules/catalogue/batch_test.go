package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

// lines returns n skus of one price, from the given number on.
func lines(from, n int, price int64) []catalogue.SKU {
	skus := make([]catalogue.SKU, n)
	for i := range skus {
		skus[i] = goods.Lamp(fmt.Sprintf("sku-%04d", from+i))
		skus[i].Price = price
	}
	return skus
}

func TestABatchIsStoredWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(goods.Now)
		c := catalogue.NewCatalogue(s.DB, clock.Now)
		ctx := oplog.NewRecorder(clock.Now, rand.Uint32).By(t.Context(), "anna", "")
		recorded := func() (n int) {
			require.NoError(t, s.DB.Read.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM operator_log`))
			return n
		}
		stored, err := c.PutSKUs(ctx, lines(0, 1000, 5))
		require.NoError(t, err)
		assert.Len(t, stored, 1000)
		assert.Equal(t, 1000, recorded())

		bad := lines(999, 3, 7)
		bad[1].Price, bad[2].ID = -1, bad[0].ID
		_, err = c.PutSKUs(ctx, bad)
		var e *problem.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, problem.CodeInvalidRequest, e.Code)
		assert.Equal(t, []string{"items[1].price", "items[2].sku_id"}, []string{e.Fields[0].Name, e.Fields[1].Name})
		late := lines(999, 3, 7)
		late[0].Version = stored[999].Version - 1
		_, err = c.PutSKUs(ctx, late)
		require.ErrorAs(t, err, &e)
		assert.Equal(t, problem.CodeStaleVersion, e.Code)
		assert.Equal(t, "items[0].version", e.Fields[0].Name)
		_, err = c.StoredSKU(ctx, "sku-1000")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err), "none of the lines is stored")
		assert.Equal(t, 1000, recorded(), "no change that was rolled back is recorded")

		late[0].Version = stored[999].Version
		slices.Reverse(late)
		late[0].Stock, late[2].Stock = 3, 3
		stored, err = c.PutSKUs(ctx, late)
		require.NoError(t, err)
		assert.Equal(t, "sku-1001", stored[0].ID, "in the order of the request")
		assert.Equal(t, []int64{3, 10}, []int64{stored[0].Stock, stored[2].Stock}, "stock is used for new skus only")
		assert.Equal(t, 1003, recorded())
	})
}

// All batches write the same rows, first absent ones and then hot ones. Each is stored whole, so that the rows never
// differ.
func TestBatchesOf48OperatorsAreEachStoredWhole(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(goods.Now)
		c := catalogue.NewCatalogue(s.DB, clock.Now)
		ctx := oplog.NewRecorder(clock.Now, rand.Uint32).By(t.Context(), "anna", "")
		errs := make([]error, 96)
		kit.Crowd(48, func(i int) {
			skus := lines(0, 20, int64(i+1))
			if i%2 == 0 {
				slices.Reverse(skus)
			}
			_, errs[2*i] = c.PutSKUs(ctx, skus)
			points := []catalogue.Point{
				{ID: "b", Name: fmt.Sprint(i)}, {ID: "a", Name: fmt.Sprint(i), Regions: []string{"x"}},
			}
			_, errs[2*i+1] = c.PutPoints(ctx, points)
		})
		for _, err := range errs {
			require.NoError(t, err)
		}
		list, err := c.SKUs(ctx, catalogue.Filter{}, api.KeyPage{Page: 1, Size: 100})
		require.NoError(t, err)
		require.Len(t, list.Items, 20)
		for _, sku := range list.Items {
			assert.Equal(t, list.Items[0].Price, sku.Price)
		}
		points, err := c.Points(ctx, catalogue.Filter{}, api.KeyPage{Page: 1, Size: 100})
		require.NoError(t, err)
		require.Len(t, points.Items, 2)
		assert.Equal(t, points.Items[0].Name, points.Items[1].Name)
		var n int
		require.NoError(t, s.DB.Read.GetContext(ctx, &n, `SELECT COUNT(*) FROM operator_log`))
		assert.Equal(t, 48*22, n)
	})
}

func TestSKUsByCursorAreEachListedOnceWhileOthersAreInserted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(goods.Now)
		c := catalogue.NewCatalogue(s.DB, clock.Now)
		for name, f := range map[string]catalogue.Filter{
			"by id": {}, "by time": {From: 1, Shop: goods.Lamp("x").Shop},
		} {
			_, err := c.PutSKUs(t.Context(), lines(100, 50, 1))
			require.NoError(t, err)
			seen := map[string]int{}
			page, inserted := api.KeyPage{Page: 1, Size: 7}, 0
			for {
				list, err := c.SKUs(t.Context(), f, page)
				require.NoError(t, err)
				for _, sku := range list.Items {
					seen[sku.ID]++
				}
				if list.NextCursor == "" {
					break
				}
				page = api.KeyPage{Size: 7, After: list.NextCursor}
				clock.Advance(1e6)
				inserted++
				if inserted < 20 {
					goods.PutSKUs(t, c, goods.Lamp(fmt.Sprint("a-", name[3:5], inserted)),
						goods.Lamp(fmt.Sprint("z-", name[3:5], inserted)))
				}
			}
			for i := range 50 {
				assert.Equal(t, 1, seen[fmt.Sprintf("sku-%04d", 100+i)], name)
			}
			for id, n := range seen {
				assert.Equal(t, 1, n, "%s %s", name, id)
			}
		}
		_, err := c.SKUs(t.Context(), catalogue.Filter{}, api.KeyPage{Size: 1, After: "x"})
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
	})
}
