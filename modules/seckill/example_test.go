package seckill_test

import (
	"fmt"
	"log/slog"
	"time"

	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/seckill"
	"onrush/modules/seckill/place"
	"onrush/modules/sign"
	"onrush/test/goods"
	"onrush/test/kit"
	"onrush/test/stage"
)

// A buyer gets a path while the sale runs, and orders on it. The same Idempotency-Key gets the same order again.
func ExampleService_Submit() {
	tb := kit.NewExample()
	defer tb.End()
	stores := kit.OnEmbedded(tb)
	sale := stage.Open(tb, stores, stage.Sale{Kind: catalogue.Virtual, Limit: 1})
	clock := clock.Fixed(time.Now)
	service, err := seckill.NewService(seckill.Config{
		Secrets: sign.Secrets{"a secret of at least thirty-two bytes"}, Place: place.Config{Within: time.Minute},
	}, seckill.Deps{
		DB: stores.DB, Lua: sale.Scripts, Clock: clock,
		Cache:    seckill.NewActivityCache(stores.DB, sale.Scripts, clock, time.Now),
		Counts:   seckill.NewStockCache(sale.Scripts, time.Now),
		Counters: seckill.NewAnswerCounters(sale.Scripts, clock), Destinations: goods.New(stores).Destinations,
		Numbers: sale.Numbers, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	path, err := service.Path(tb.Context(), seckill.Visit{User: "ada", Activity: sale.Activity, SKU: stage.SKU})
	fmt.Println(err)
	for _, key := range []string{"first", "first", "second"} {
		by := seckill.SubmitBy{User: "ada", Path: path.Path, Key: key}
		submitted, err := service.Submit(tb.Context(), by, &seckill.Submit{Choice: seckill.Choice{Quantity: 1}})
		fmt.Println(submitted != nil, err)
	}
	fmt.Println(sale.Left(tb, ""), "of 10 left")
	// Output:
	// <nil>
	// true <nil>
	// true <nil>
	// false purchase_limit: The limit is 1; you have bought 1.
	// 9 of 10 left
}
