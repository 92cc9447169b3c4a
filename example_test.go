package onrush_test

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/gofiber/fiber/v2"

	"onrush"
)

// A shop with a Fiber app of its own puts a sku into the catalogue, and reads what happened. It runs on embedded stores
// here; in production Config has Redis and MySQL.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "onrush")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sales, err := onrush.New(ctx, onrush.Config{Dir: dir, BaseURL: "https://shop.example/sales"})
	if err != nil {
		panic(err)
	}
	defer func() { _ = sales.Stop(ctx) }()
	if err := sales.Start(ctx); err != nil {
		panic(err)
	}
	app := fiber.New()
	sales.Mount(app, "/sales")

	sku := map[string]any{
		"title": "Lamp", "shop_id": "shop", "kind": "physical", "price": 19900, "currency": "CNY", "stock": 100,
	}
	if err := sales.Call(ctx, http.MethodPut, "/admin/api/v1/skus/lamp", sku, nil); err != nil {
		panic(err)
	}
	var read struct {
		Title string `json:"title"`
		Stock int    `json:"stock"`
	}
	if err := sales.Call(ctx, http.MethodGet, "/admin/api/v1/skus/lamp", nil, &read); err != nil {
		panic(err)
	}
	fmt.Println(read.Title, read.Stock)

	events, next, err := sales.Events(ctx, 0, 100)
	fmt.Println(len(events), next, err)
	// Output:
	// Lamp 100
	// 0 0 <nil>
}
