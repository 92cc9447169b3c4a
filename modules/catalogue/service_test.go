package catalogue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

func TestSKUIsReadAsItWasPut(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		c := catalogue.NewCatalogue(s.DB, kit.NewClock(goods.Now).Now)
		sku := goods.Lamp("sku-1")
		for _, price := range []int64{1000, 1000, 900} { // new, the same again, changed
			sku.Price = price
			goods.PutSKUs(t, c, sku)
			got, err := c.SKU(ctx, "sku-1")
			require.NoError(t, err)
			got.Version, got.StockVersion = 0, 0
			assert.Equal(t, sku, got)
		}
		_, err := c.SKU(ctx, "sku-2")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		known, err := c.KnownSKUs(ctx, []string{"sku-1", "sku-2"})
		require.NoError(t, err)
		assert.Len(t, known, 1)

		goods.PutSKUs(t, c, goods.Lamp("sku-3"), goods.Lamp("sku-2"))
		list, err := c.SKUs(ctx, catalogue.Filter{}, api.KeyPage{Page: 2, Size: 2})
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		assert.NotZero(t, list.Items[0].Version)
		list.Items[0].Version, list.Items[0].StockVersion = 0, 0
		assert.Equal(t, []catalogue.SKU{goods.Lamp("sku-3")}, list.Items)
		assert.EqualValues(t, 3, *list.Total)
	})
}

func TestConcurrentPutsOfASKUStoreOne(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := catalogue.NewCatalogue(s.DB, kit.NewClock(goods.Now).Now)
		errs := kit.AtOnce(8, func(int) error {
			_, err := c.PutSKU(t.Context(), goods.Lamp("sku-1"))
			return err
		})
		for _, err := range errs {
			assert.NoError(t, err)
		}
	})
}

func TestCopyOfASKUIsOlderThanASecondOnlyWhileSQLIsUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		clock := kit.NewClock(goods.Now)
		writer, reader := catalogue.NewCatalogue(s.DB, clock.Now), catalogue.NewCatalogue(s.DB, clock.Now)
		sku := goods.Lamp("sku-1")
		goods.PutSKUs(t, writer, sku)
		price := func() int64 {
			got, err := reader.SKU(ctx, "sku-1")
			require.NoError(t, err)
			return got.Price
		}
		require.EqualValues(t, 1000, price())
		_, err := reader.SKU(ctx, "sku-2")
		require.Equal(t, problem.CodeNotFound, problem.CodeOf(err))

		sku.Price = 900
		goods.PutSKUs(t, writer, sku, goods.Lamp("sku-2"))
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

func TestRegionIsServedByItsLowestPoint(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		c := catalogue.NewCatalogue(s.DB, kit.NewClock(goods.Now).Now)
		goods.PutPoints(t, c,
			catalogue.Point{ID: "p3", Regions: []string{"east", "south"}},
			catalogue.Point{ID: "p1", Regions: []string{"north"}},
			catalogue.Point{ID: "p2", Regions: []string{"east"}, FreightExtra: 5, Pickup: true})
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
		assert.Equal(t,
			catalogue.Point{ID: "p2", Name: "Point p2", Regions: []string{"east"}, FreightExtra: 5, Pickup: true}, p)
		p, err = c.Point(ctx, catalogue.DefaultPoint)
		require.NoError(t, err, "point 0 always exists")
		assert.False(t, p.Pickup)
		_, err = c.Point(ctx, "p9")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		list, err := c.Points(ctx, catalogue.Filter{}, api.KeyPage{Page: 1, Size: 2})
		require.NoError(t, err)
		assert.Len(t, list.Items, 2)
		assert.EqualValues(t, 3, *list.Total)
	})
}

// Where a point is and when it is open are stored alone and in a batch, changed, recorded, and shown in all lists.
func TestAPointSaysWhereItIsAndWhenItIsOpen(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx, c := t.Context(), goods.New(s).Catalogue
		open := func(hours string) catalogue.Point {
			return catalogue.Point{
				ID: "p1", Name: "P", Regions: []string{}, Pickup: true, Address: strings.Repeat("路", 200), Hours: hours,
			}
		}
		batch := func(p catalogue.Point) (catalogue.Point, error) {
			stored, err := c.PutPoints(ctx, []catalogue.Point{p})
			if err != nil {
				return p, err
			}
			return stored[0], nil
		}
		alone := func(p catalogue.Point) (catalogue.Point, error) { return c.PutPoint(ctx, p) }
		type put = func(catalogue.Point) (catalogue.Point, error)
		for hours, put := range map[string]put{"9–20": batch, "8–20": alone} {
			for _, want := range []catalogue.Point{open(hours), open(hours + " "), open("")} {
				stored, err := put(want)
				require.NoError(t, err)
				read, err := c.StoredPoint(ctx, "p1")
				require.NoError(t, err)
				assert.Equal(t, stored, read)
				want.Version = read.Version
				assert.Equal(t, want, read)
			}
			require.NoError(t, c.DeletePoint(ctx, "p1", 0))
		}
		_, err := c.PutPoint(ctx, open("24 h"))
		require.NoError(t, err)
		list, err := c.PointsAfter(ctx, nil, catalogue.After{Size: 10})
		require.NoError(t, err)
		assert.Equal(t, "24 h", list.Items[0].Hours)
	})
}

func TestCatalogueRefusesValuesThatItCannotStore(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		c := goods.New(s).Catalogue
		for field, spoil := range map[string]func(*catalogue.SKU){
			"sku_id":            func(s *catalogue.SKU) { s.ID = "a b" },
			"title":             func(s *catalogue.SKU) { s.Title = " " },
			"shop_id":           func(s *catalogue.SKU) { s.Shop = "" },
			"image_url":         func(s *catalogue.SKU) { s.ImageURL = "a\nb" },
			"description":       func(s *catalogue.SKU) { s.Description = strings.Repeat("灯", 2001) },
			"kind":              func(s *catalogue.SKU) { s.Kind = "gift" },
			"price":             func(s *catalogue.SKU) { s.Price = -1 },
			"currency":          func(s *catalogue.SKU) { s.Currency = "cny" },
			"stock":             func(s *catalogue.SKU) { s.Stock = -1 },
			"freight.fee":       func(s *catalogue.SKU) { s.Freight.Fee = 1_000_000_000_001 },
			"freight.free_over": func(s *catalogue.SKU) { s.Freight.FreeOver = -1 },
		} {
			sku := goods.Lamp("sku-1")
			spoil(&sku)
			_, err := c.PutSKU(t.Context(), sku)
			requireField(t, err, field)
		}
		for field, point := range map[string]catalogue.Point{
			"regions[1]":    {ID: "p1", Name: "P", Regions: []string{"a", "a"}},
			"freight_extra": {ID: "p1", Name: "P", FreightExtra: -1},
			"regions":       {ID: "p1", Name: "P", Regions: make([]string, 1001)},
			"address":       {ID: "p1", Name: "P", Address: strings.Repeat("路", 201)},
			"hours":         {ID: "p1", Name: "P", Hours: "9 to\n20"},
		} {
			_, err := c.PutPoint(t.Context(), point)
			requireField(t, err, field)
		}
		for i := range 3 {
			goods.PutPoints(t, c, catalogue.Point{ID: fmt.Sprint(i)})
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
