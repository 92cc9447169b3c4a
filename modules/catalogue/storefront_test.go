package catalogue

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// walk reads a list page by page; more, if not nil, is called after each page.
func walk(t *testing.T, c *Catalogue, shop string, size int, more func()) (ids []string) {
	t.Helper()
	page := After{Size: size}
	for {
		list, err := c.SKUsAfter(t.Context(), shop, page)
		require.NoError(t, err)
		require.LessOrEqual(t, len(list.Items), size)
		for _, s := range list.Items {
			ids = append(ids, s.ID)
		}
		if list.NextCursor == "" {
			return ids
		}
		page.Text = list.NextCursor
		if more != nil {
			more()
		}
	}
}

func lamps(shop string, ids ...string) (skus []SKU) {
	for _, id := range ids {
		skus = append(skus, SKU{
			ID: id, Title: "Lamp", Shop: shop, Kind: Physical, Price: 100, Currency: "CNY", Stock: 1,
		})
	}
	return skus
}

func putAll(t *testing.T, c *Catalogue, skus ...SKU) {
	t.Helper()
	for _, s := range skus {
		_, err := c.PutSKU(t.Context(), s)
		require.NoError(t, err)
	}
}

// While skus are added and deleted, each walk has every sku that was there all the while once, and none twice.
func TestPagesOfSKUsMissNoneAndRepeatNoneWhileSKUsAreAdded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(time.Now())
		c := NewCatalogue(s.DB, clock.Now)
		var all, ofA []string
		for i := range 60 {
			id, shop := fmt.Sprintf("sku-%03d0", i), "shop-"+string(rune('a'+i%3))
			putAll(t, c, lamps(shop, id)...)
			all = append(all, id)
			if shop == "shop-a" {
				ofA = append(ofA, id)
			}
		}
		changing, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			ctx := context.WithoutCancel(changing)
			var err error
			for i := 0; err == nil && changing.Err() == nil; i++ {
				id := fmt.Sprintf("sku-%03d5", i*37%60)
				if i%5 == 4 {
					_ = c.DeleteSKU(ctx, id, 0) // it may not be there
					continue
				}
				_, err = c.PutSKU(ctx, lamps("shop-"+string(rune('a'+i%3)), id)[0])
			}
			done <- err
		}()
		for round := range 10 {
			for shop, want := range map[string][]string{"": all, "shop-a": ofA} {
				found := walk(t, c, shop, 1+round*3, func() { clock.Advance(time.Second) })
				assert.True(t, slices.IsSorted(found))
				assert.Len(t, slices.Compact(slices.Clone(found)), len(found), "none is repeated")
				for _, id := range want {
					assert.Contains(t, found, id, "none is missing")
				}
			}
		}
		stop()
		require.NoError(t, <-done)
	})
}

func TestPagesOfSKUsThatManyReadCostOneReadASecond(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t, kit.Breakable())
	clock := kit.NewClock(time.Now())
	c := NewCatalogue(s.DB, clock.Now)
	putAll(t, c, lamps("shop-a", "a", "b", "c")...)
	assert.Equal(t, []string{"a", "b", "c"}, walk(t, c, "", 2, nil))
	before := s.SQLCalls(t)
	for range 500 {
		assert.Equal(t, []string{"a", "b", "c"}, walk(t, c, "", 2, nil))
		_, err := c.PointsAfter(t.Context(), nil, After{Size: 1})
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, s.SQLCalls(t)-before, int64(2), "one read of the points and their version")
	clock.Advance(time.Second)
	before = s.SQLCalls(t)
	for range 500 {
		walk(t, c, "", 2, nil)
	}
	assert.LessOrEqual(t, s.SQLCalls(t)-before, int64(4), "two pages of ids, and their skus")

	s.SQLAway(t)
	clock.Advance(time.Minute)
	assert.Equal(t, []string{"a", "b", "c"}, walk(t, c, "", 2, nil), "copies serve while SQL is away")
}

func TestSKUsOfAShopAreReadByAnIndex(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t)
	var plan []struct {
		ID, Parent, Notused int
		Detail              string
	}
	require.NoError(t, s.DB.Read.SelectContext(t.Context(), &plan, `EXPLAIN QUERY PLAN
		SELECT sku_id FROM skus WHERE sku_id > 'a' AND shop_id = 'shop-a' ORDER BY sku_id LIMIT 101`))
	require.Len(t, plan, 1, "no sorting")
	assert.Contains(t, plan[0].Detail, "skus_by_shop")
}

func TestPointsAndRegionsAreListedByCursor(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := NewCatalogue(s.DB, time.Now)
		for _, p := range []Point{
			{ID: "a", Regions: []string{"é", "Z", "a"}, Pickup: true},
			{ID: "B", Regions: []string{"a", "漢"}},
			{ID: "c", Pickup: true},
			{ID: "0"},
		} {
			p.Name = "Point " + p.ID
			_, err := c.PutPoint(t.Context(), p)
			require.NoError(t, err)
		}
		points := func(pickup *bool, after string, size int) (ids []string, next string) {
			list, err := c.PointsAfter(t.Context(), pickup, After{after, size})
			require.NoError(t, err)
			for _, p := range list.Items {
				ids = append(ids, p.ID)
			}
			return ids, list.NextCursor
		}
		ids, next := points(nil, "", 3)
		assert.Equal(t, []string{"0", "B", "a"}, ids)
		assert.Equal(t, "a", next)
		ids, next = points(nil, next, 3)
		assert.Equal(t, []string{"c"}, ids)
		assert.Empty(t, next)
		ids, _ = points(new(true), "", 3)
		assert.Equal(t, []string{"a", "c"}, ids)
		ids, _ = points(new(true), "b", 3)
		assert.Equal(t, []string{"c"}, ids, "behind a point that is not there")
		ids, _ = points(new(false), "", 3)
		assert.Equal(t, []string{"0", "B"}, ids)

		list, err := c.RegionsAfter(t.Context(), After{Size: 3})
		require.NoError(t, err)
		assert.Equal(t, []string{"Z", "a", "é"}, list.Items, "each once")
		list, err = c.RegionsAfter(t.Context(), After{list.NextCursor, 3})
		require.NoError(t, err)
		assert.Equal(t, []string{"漢"}, list.Items)
		assert.Empty(t, list.NextCursor)
	})
}
