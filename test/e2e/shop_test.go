package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/site"
)

const admin = "/admin/api/v1"

// must requires a status of an operator's or buyer's call and returns the body.
func must(t *testing.T, status int, a site.Answer) map[string]any {
	t.Helper()
	require.Equal(t, status, a.Status, string(a.Body))
	if len(a.Body) == 0 {
		return nil
	}
	return a.JSON(t)
}

// stockShop is a shop as its operator sets it up: a lamp that is sent, a course that isn't, and
// three places: east for shanghai and jiangsu, where buyers may fetch goods, south for guangdong,
// and the one that serves the rest.
func stockShop(t *testing.T, op *site.Person) {
	t.Helper()
	for path, body := range map[string]map[string]any{
		"/skus/lamp": {
			"title": "Desk lamp", "shop_id": "shop", "image_url": "https://img.example/lamp.png", "kind": "physical",
			"price": 4900, "currency": "CNY", "stock": 10, "freight": map[string]any{"fee": 600, "free_over": 10000},
		},
		"/skus/course": {
			"title": "Online course", "shop_id": "shop", "kind": "virtual", "price": 2900, "currency": "CNY",
			"stock": 10, "freight": map[string]any{"fee": 500, "free_over": 0},
		},
		"/points/east":  {"name": "East", "regions": []string{"shanghai", "jiangsu"}, "pickup": true},
		"/points/south": {"name": "South", "regions": []string{"guangdong"}, "freight_extra": 200},
	} {
		must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+path, "", body))
	}
}

// lampSale is the body of a sale of the shop.
func lampSale(points ...string) map[string]any {
	stock := []map[string]any{}
	for _, p := range points {
		stock = append(stock, map[string]any{"point_id": p, "quantity": 50})
	}
	now := time.Now().UTC()
	return map[string]any{
		"title": "Lamps", "shop_id": "shop", "pay_within_s": 600,
		"starts_at": now.Add(-time.Minute).Format(time.RFC3339Nano),
		"ends_at":   now.Add(time.Hour).Format(time.RFC3339Nano),
		"skus": []map[string]any{
			{"sku_id": "lamp", "flash_price": 1900, "stock": stock},
			{"sku_id": "course", "flash_price": 900, "stock": []map[string]any{{"point_id": "0", "quantity": 50}}},
		},
	}
}

// publish creates a sale from a body and publishes it.
func publish(t *testing.T, op *site.Person, body map[string]any) (activity string) {
	t.Helper()
	activity = must(t, http.StatusCreated,
		op.Call(t, http.MethodPost, admin+"/activities", "", body))["activity_id"].(string)
	must(t, http.StatusOK, op.Call(t, http.MethodPost, admin+"/activities/"+activity+"/publish", "", nil))
	return activity
}

// keyOf returns an Idempotency-Key for the name of a case.
func keyOf(name string) string { return strings.ReplaceAll(name, " ", "-") }
