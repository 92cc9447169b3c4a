package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

const admin = "/admin/api/v1"

// must requires the status of an answer.
func must(t *testing.T, status int, a site.Answer) {
	t.Helper()
	require.Equal(t, status, a.Status, string(a.Body))
}

// stockShop is a shop as its operator sets it up: a lamp that is sent, a course that isn't, and
// three places: east for shanghai and jiangsu, where buyers may fetch goods, south for guangdong,
// and the one that serves the rest.
func stockShop(t *testing.T, op *site.Person) {
	t.Helper()
	op.PutSKU(t, "lamp", lamp())
	op.PutSKU(t, "course", client.SKURequest{
		Title: "Online course", ShopID: "shop", Kind: "virtual", Price: 2900, Currency: "CNY", Stock: 10,
		Freight: client.FreightRequest{Fee: 500},
	})
	op.PutPoint(t, "east", client.PointRequest{Name: "East", Regions: []string{"shanghai", "jiangsu"}, Pickup: true})
	op.PutPoint(t, "south", client.PointRequest{Name: "South", Regions: []string{"guangdong"}, FreightExtra: 200})
}

// lamp is the lamp of stockShop.
func lamp() client.SKURequest {
	return client.SKURequest{
		Title:       "Desk lamp",
		ShopID:      "shop",
		ImageURL:    "https://img.example/lamp.png",
		Description: "Warm light.\nThree levels.",
		Kind:        "physical",
		Price:       4900,
		Currency:    "CNY",
		Stock:       10,
		Freight:     client.FreightRequest{Fee: 600, FreeOver: 10000},
	}
}

// lampSale is a sale of the shop.
func lampSale(points ...string) client.ActivityRequest {
	stock := []client.PointStock{}
	for _, p := range points {
		stock = append(stock, client.PointStock{PointID: p, Quantity: 50})
	}
	now := time.Now().UTC()
	return client.ActivityRequest{
		Title: "Lamps", ShopID: "shop", PayWithinS: 600, StartsAt: now.Add(-time.Minute), EndsAt: now.Add(time.Hour),
		Skus: []client.ActivityRequestSKU{
			{SKUID: "lamp", FlashPrice: 1900, Stock: stock},
			{SKUID: "course", FlashPrice: 900, Stock: []client.PointStock{{PointID: "0", Quantity: 50}}},
		},
	}
}

// publish creates a sale and publishes it.
func publish(t *testing.T, op *site.Person, sale client.ActivityRequest) (activity string) {
	t.Helper()
	activity = op.CreateActivity(t, sale).ActivityID
	op.PublishActivity(t, activity)
	return activity
}

// keyOf returns an Idempotency-Key for the name of a case.
func keyOf(name string) string { return strings.ReplaceAll(name, " ", "-") }
