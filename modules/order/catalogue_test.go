package order

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/web/api"
	"onrush/web/problem"
)

func lamp(id string) SKU {
	return SKU{
		ID: id, Title: "Lamp " + id, Shop: "shop-a", ImageURL: "https://shop/" + id + ".png", Kind: Physical,
		Price: 1000, Currency: "CNY", Stock: 10, Freight: FreightRule{Fee: 50, FreeOver: 5000},
	}
}

func putSKUs(t *testing.T, c *Catalogue, skus ...SKU) {
	t.Helper()
	for _, s := range skus {
		_, err := c.PutSKU(t.Context(), s)
		require.NoError(t, err)
	}
}

func putPoints(t *testing.T, c *Catalogue, points ...Point) {
	t.Helper()
	for _, p := range points {
		p.Name = "Point " + p.ID
		_, err := c.PutPoint(t.Context(), p)
		require.NoError(t, err)
	}
}

func TestSKUIsReadAsItWasPut(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		c := NewCatalogue(s.DB, kit.NewClock(listNow).Now)
		sku := lamp("sku-1")
		for _, price := range []int64{1000, 1000, 900} { // new, the same again, changed
			sku.Price = price
			putSKUs(t, c, sku)
			got, err := c.SKU(ctx, "sku-1")
			require.NoError(t, err)
			got.Version = 0
			assert.Equal(t, sku, got)
		}
		_, err := c.SKU(ctx, "sku-2")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		_, err = c.SKUsByID(ctx, []string{"sku-1", "sku-2"})
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))

		putSKUs(t, c, lamp("sku-3"), lamp("sku-2"))
		list, err := c.SKUs(ctx, api.Page{Page: 2, Size: 2})
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		assert.NotZero(t, list.Items[0].Version)
		list.Items[0].Version = 0
		assert.Equal(t, []SKU{lamp("sku-3")}, list.Items)
		assert.EqualValues(t, 3, *list.Total)
	})
}

func TestPutSKUAtOnceStoresOne(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := NewCatalogue(s.DB, kit.NewClock(listNow).Now)
		var all sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			all.Go(func() { _, errs[i] = c.PutSKU(t.Context(), lamp("sku-1")) })
		}
		all.Wait()
		for _, err := range errs {
			assert.NoError(t, err)
		}
	})
}

func TestCopyOfASKUIsAtMostASecondOldAndStaleOnlyWhileSQLIsAway(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		clock := kit.NewClock(listNow)
		writer, reader := NewCatalogue(s.DB, clock.Now), NewCatalogue(s.DB, clock.Now)
		sku := lamp("sku-1")
		putSKUs(t, writer, sku)
		price := func() int64 {
			got, err := reader.SKU(ctx, "sku-1")
			require.NoError(t, err)
			return got.Price
		}
		require.EqualValues(t, 1000, price())
		_, err := reader.SKU(ctx, "sku-2")
		require.Equal(t, problem.CodeNotFound, problem.CodeOf(err))

		sku.Price = 900
		putSKUs(t, writer, sku, lamp("sku-2"))
		clock.Advance(999 * time.Millisecond)
		assert.EqualValues(t, 1000, price(), "the copy is fresh")
		clock.Advance(time.Millisecond)
		assert.EqualValues(t, 900, price())
		_, err = reader.SKU(ctx, "sku-2")
		require.NoError(t, err)

		s.SQLAway(t)
		clock.Advance(59 * time.Minute)
		assert.EqualValues(t, 900, price(), "a stale copy is served")
		_, err = reader.SKU(ctx, "sku-3")
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), "nothing is known of it")
		clock.Advance(time.Minute)
		_, err = reader.SKU(ctx, "sku-1")
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), "the copy is too old")
	}, kit.Breakable())
}

func TestLowestPointThatServesARegionIsTaken(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		c := NewCatalogue(s.DB, kit.NewClock(listNow).Now)
		putPoints(t, c,
			Point{ID: "p3", Regions: []string{"east", "south"}},
			Point{ID: "p1", Regions: []string{"north"}},
			Point{ID: "p2", Regions: []string{"east"}, FreightExtra: 5, Pickup: true})
		point := func(region string, serves func(string) bool) string {
			p, found, err := c.PointFor(ctx, region, serves)
			require.NoError(t, err)
			require.Equal(t, found, p.ID != "")
			return p.ID
		}
		assert.Equal(t, "p2", point("east", nil))
		assert.Equal(t, "p3", point("east", func(id string) bool { return id != "p2" }))
		assert.Equal(t, "p3", point("south", nil))
		assert.Empty(t, point("west", nil))
		assert.Empty(t, point("east", func(string) bool { return false }))

		p, err := c.Point(ctx, "p2")
		require.NoError(t, err)
		assert.NotZero(t, p.Version)
		p.Version = 0
		assert.Equal(t, Point{ID: "p2", Name: "Point p2", Regions: []string{"east"}, FreightExtra: 5, Pickup: true}, p)
		p, err = c.Point(ctx, DefaultPoint)
		require.NoError(t, err, "point 0 always exists")
		assert.False(t, p.Pickup)
		_, err = c.Point(ctx, "p9")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		list, err := c.Points(ctx, api.Page{Page: 1, Size: 2})
		require.NoError(t, err)
		assert.Len(t, list.Items, 2)
		assert.EqualValues(t, 3, *list.Total)
	})
}

func TestCatalogueRefusesWhatItCannotKeep(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := newShop(s).catalogue
		for field, spoil := range map[string]func(*SKU){
			"sku_id":            func(s *SKU) { s.ID = "a b" },
			"title":             func(s *SKU) { s.Title = " " },
			"shop_id":           func(s *SKU) { s.Shop = "" },
			"image_url":         func(s *SKU) { s.ImageURL = "a\nb" },
			"kind":              func(s *SKU) { s.Kind = "gift" },
			"price":             func(s *SKU) { s.Price = -1 },
			"currency":          func(s *SKU) { s.Currency = "cny" },
			"stock":             func(s *SKU) { s.Stock = -1 },
			"freight.fee":       func(s *SKU) { s.Freight.Fee = 1_000_000_000_001 },
			"freight.free_over": func(s *SKU) { s.Freight.FreeOver = -1 },
		} {
			sku := lamp("sku-1")
			spoil(&sku)
			_, err := c.PutSKU(t.Context(), sku)
			requireField(t, err, field)
		}
		for field, point := range map[string]Point{
			"regions[1]":    {ID: "p1", Name: "P", Regions: []string{"a", "a"}},
			"freight_extra": {ID: "p1", Name: "P", FreightExtra: -1},
			"regions":       {ID: "p1", Name: "P", Regions: make([]string, 1001)},
		} {
			_, err := c.PutPoint(t.Context(), point)
			requireField(t, err, field)
		}
		for i := range 3 {
			putPoints(t, c, Point{ID: fmt.Sprint(i)})
		}
	})
}

// requireField asks for an invalid_request that names a field.
func requireField(t *testing.T, err error, field string) {
	t.Helper()
	var e *problem.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, problem.CodeInvalidRequest, e.Code)
	names := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		names[i] = f.Name
	}
	require.Contains(t, names, field)
}
