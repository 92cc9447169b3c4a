// Package goods fills a catalogue for tests.
package goods

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
)

// Now is the time at which goods and addresses are stored.
var Now = time.Date(2026, 5, 31, 12, 30, 45, 500_000_000, time.UTC)

// Goods is a catalogue with addresses and the destinations over both.
type Goods struct {
	Catalogue    *catalogue.Catalogue
	Addresses    *catalogue.Addresses
	Destinations *catalogue.Destinations
}

// New makes a catalogue over stores.
func New(s *kit.Stores) Goods {
	now := kit.NewClock(Now).Now
	addresses := catalogue.NewAddresses(s.DB, kit.IDs(1), now, slog.New(slog.DiscardHandler))
	g := Goods{Catalogue: catalogue.NewCatalogue(s.DB, now), Addresses: addresses}
	g.Destinations = catalogue.NewDestinations(g.Catalogue, addresses.Copies)
	return g
}

// Address stores an address of a user in a region.
func (g Goods) Address(t testing.TB, user, region string) catalogue.Address {
	t.Helper()
	a, err := g.Addresses.Create(t.Context(), user,
		catalogue.Address{Receiver: "Li", Phone: "1", Region: region, Detail: "Road 1"})
	require.NoError(t, err)
	return a
}

// Lamp is a physical sku that costs 1000 and 50 of freight; 10 are in stock.
func Lamp(id string) catalogue.SKU {
	return catalogue.SKU{
		ID: id, Title: "Lamp " + id, Shop: "shop-a", ImageURL: "https://shop/" + id + ".png", Kind: catalogue.Physical,
		Price: 1000, Currency: "CNY", Stock: 10, Freight: catalogue.FreightRule{Fee: 50, FreeOver: 5000},
	}
}

// Code is a virtual sku that costs 300; 5 are in stock.
func Code(id, shop string) catalogue.SKU {
	return catalogue.SKU{
		ID: id, Title: "Code " + id, Shop: shop, Kind: catalogue.Virtual, Price: 300, Currency: "CNY", Stock: 5,
	}
}

// PutSKUs stores skus.
func PutSKUs(t testing.TB, c *catalogue.Catalogue, skus ...catalogue.SKU) {
	t.Helper()
	for _, s := range skus {
		_, err := c.PutSKU(t.Context(), s)
		require.NoError(t, err)
	}
}

// PutPoints stores stock points under a name made of their ids.
func PutPoints(t testing.TB, c *catalogue.Catalogue, points ...catalogue.Point) {
	t.Helper()
	for _, p := range points {
		p.Name = "Point " + p.ID
		_, err := c.PutPoint(t.Context(), p)
		require.NoError(t, err)
	}
}

// Stock is the ordinary stock of a sku.
func Stock(t testing.TB, s *kit.Stores, sku string) int64 {
	t.Helper()
	var n int64
	require.NoError(t, s.DB.Write.GetContext(t.Context(), &n, `SELECT stock FROM skus WHERE sku_id = ?`, sku))
	return n
}
