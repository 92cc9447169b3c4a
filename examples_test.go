package onrush_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"onrush"
)

// running starts a platform on embedded stores, as the examples need one.
func running(cfg onrush.Config) (sales *onrush.Platform, stop func()) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "onrush")
	if err != nil {
		panic(err)
	}
	cfg.Dir, cfg.BaseURL = dir, "https://shop.example/sales"
	if sales, err = onrush.New(ctx, cfg); err != nil {
		panic(err)
	}
	if err := sales.Start(ctx); err != nil {
		panic(err)
	}
	return sales, func() {
		_ = sales.Stop(ctx)
		_ = os.RemoveAll(dir)
	}
}

// lamp is a sku.
var lamp = map[string]any{
	"title": "Lamp", "shop_id": "shop", "kind": "physical", "price": 19900, "currency": "CNY", "stock": 100,
}

func ExamplePlatform_Mount() {
	sales, stop := running(onrush.Config{})
	defer stop()
	app := fiber.New()
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString("my shop") })
	sales.Mount(app, "/sales")

	request := httptest.NewRequest(http.MethodGet, "/sales/readyz", nil)
	answer, err := app.Test(request)
	if err != nil {
		panic(err)
	}
	defer func() { _ = answer.Body.Close() }()
	fmt.Println(answer.StatusCode)
	// Output: 200
}

func ExamplePlatform_ServeHTTP() {
	sales, stop := running(onrush.Config{})
	defer stop()
	mux := http.NewServeMux()
	mux.Handle("/sales/", http.StripPrefix("/sales", sales))
	shop := httptest.NewServer(mux)
	defer shop.Close()

	answer, err := http.Get(shop.URL + "/sales/api/v1/activities")
	if err != nil {
		panic(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(answer.StatusCode, string(text))
	// Output: 200 {"items":[],"page":1,"page_size":10,"total":0,"partial":false}
}

func ExamplePlatform_Call() {
	sales, stop := running(onrush.Config{})
	defer stop()
	ctx := context.Background()
	if err := sales.Call(ctx, http.MethodPut, "/admin/api/v1/skus/lamp", lamp, nil); err != nil {
		panic(err)
	}
	var sku struct {
		Price int64 `json:"price"`
	}
	err := sales.Call(ctx, http.MethodGet, "/admin/api/v1/skus/lamp", nil, &sku)
	fmt.Println(sku.Price, err)
	// Output: 19900 <nil>
}

func ExampleProblem() {
	sales, stop := running(onrush.Config{})
	defer stop()
	err := sales.Call(context.Background(), http.MethodGet, "/admin/api/v1/skus/none", nil, nil)
	var problem *onrush.Problem
	if errors.As(err, &problem) {
		fmt.Println(problem.Status, problem.Code)
	}
	// Output: 404 not_found
}

func ExampleWithKey() {
	sales, stop := running(onrush.Config{})
	defer stop()
	ctx := onrush.WithKey(context.Background(), "keys-of-11-11")
	var first, again struct {
		ID string `json:"key_id"`
	}
	key := map[string]any{"name": "checkout", "scope": "payments"}
	for _, made := range []any{&first, &again} { // the second time because the answer was lost
		if err := sales.Call(ctx, http.MethodPost, "/admin/api/v1/keys", key, made); err != nil {
			panic(err)
		}
	}
	fmt.Println(first.ID != "", first.ID == again.ID)
	// Output: true true
}

func ExamplePlatform_Events() {
	sales, stop := running(onrush.Config{})
	defer stop()
	position := int64(0) // kept in the transaction of what is done with the events
	events, next, err := sales.Events(context.Background(), position, 100)
	switch {
	case errors.Is(err, onrush.ErrMissed): // read the present state instead
	case err != nil:
		panic(err)
	}
	for _, event := range events {
		fmt.Println(event.ID, event.Type)
	}
	fmt.Println(len(events), next)
	// Output: 0 0
}

func ExamplePlatform_Stop() {
	sales, stop := running(onrush.Config{})
	defer stop()
	ctx := context.Background()
	fmt.Println(sales.Stop(ctx))
	fmt.Println(errors.Is(sales.Start(ctx), onrush.ErrStopped))
	// Output:
	// <nil>
	// true
}

func ExampleConfig_authenticate() {
	sessions := map[string]string{"3f9c": "ada"} // of the program's own login
	sales, stop := running(onrush.Config{
		Authenticate: func(_ context.Context, header http.Header) (onrush.Caller, error) {
			request := http.Request{Header: header}
			cookie, err := request.Cookie("session")
			if err != nil || sessions[cookie.Value] == "" {
				return onrush.Caller{}, onrush.ErrNoCaller
			}
			return onrush.Caller{User: sessions[cookie.Value]}, nil
		},
	})
	defer stop()
	for _, session := range []string{"3f9c", "0000"} {
		request := httptest.NewRequest(http.MethodGet, "/api/v1/orders", nil)
		request.AddCookie(&http.Cookie{Name: "session", Value: session})
		answer := httptest.NewRecorder()
		sales.ServeHTTP(answer, request)
		fmt.Println(answer.Code)
	}
	// Output:
	// 200
	// 401
}

func ExampleConfig_admit() {
	members := map[string]bool{"ada": true} // of the program's own club
	sales, stop := running(onrush.Config{
		Authenticate: func(_ context.Context, header http.Header) (onrush.Caller, error) {
			return onrush.Caller{User: header.Get("X-User")}, nil // of a proxy before the program
		},
		Admit: func(_ context.Context, a onrush.Admission) error {
			if !members[a.User] {
				return &onrush.NotAdmitted{Reason: "For members only."}
			}
			return nil
		},
	})
	defer stop()
	openSale(sales)
	for _, user := range []string{"ada", "ben"} {
		request := httptest.NewRequest(http.MethodPost, "/api/v1/seckill/path",
			strings.NewReader(`{"activity_id":"spring","sku_id":"lamp"}`))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-User", user)
		answer := httptest.NewRecorder()
		sales.ServeHTTP(answer, request)
		var read struct{ Detail string }
		_ = json.Unmarshal(answer.Body.Bytes(), &read)
		fmt.Printf("%s %d %q\n", user, answer.Code, read.Detail)
	}
	// Output:
	// ada 200 ""
	// ben 403 "For members only."
}

func unavailable(err error) bool {
	failed, ok := errors.AsType[*onrush.Problem](err)
	return ok && failed.Status == http.StatusServiceUnavailable
}

// openSale opens a sale of a lamp, which has the id spring.
func openSale(sales *onrush.Platform) {
	ctx := context.Background()
	for _, call := range []struct {
		method, path string
		body         map[string]any
	}{
		{http.MethodPut, "/admin/api/v1/skus/lamp", map[string]any{
			"title": "Lamp", "shop_id": "shop", "kind": "virtual", "price": 19900, "currency": "CNY", "stock": 0,
		}},
		{http.MethodPut, "/admin/api/v1/activities/spring/file", map[string]any{
			"title": "Lamps", "shop_id": "shop", "state": "published", "starts_at": time.Now().Add(-time.Minute),
			"ends_at": time.Now().Add(time.Hour), "pay_within_s": 900, "skus": []map[string]any{
				{"sku_id": "lamp", "flash_price": 9900, "stock": []map[string]any{{"point_id": "0", "quantity": 100}}},
			},
		}},
	} {
		err := sales.Call(ctx, call.method, call.path, call.body, nil)
		for tries := 0; unavailable(err) && tries < 1000; tries++ { // the instance has just started
			err = sales.Call(ctx, call.method, call.path, call.body, nil)
		}
		if err != nil {
			panic(err)
		}
	}
}

func ExampleConfig_changed() {
	sales, stop := running(onrush.Config{
		Changed: func(ctx context.Context, tx *sql.Tx, changes []onrush.Change) error {
			for _, c := range changes {
				var order struct {
					Total    int64  `json:"total_amount"`
					Currency string `json:"currency"`
				}
				if err := json.Unmarshal(c.Order, &order); err != nil {
					return err
				}
				var status string // tx sees the change; a program writes its own table here
				const query = `SELECT status FROM orders WHERE number = ?`
				if err := tx.QueryRowContext(ctx, query, c.Number).Scan(&status); err != nil {
					return err
				}
				fmt.Println(c.Type, c.User, status, order.Total, order.Currency)
			}
			return nil
		},
		Authenticate: func(context.Context, http.Header) (onrush.Caller, error) {
			return onrush.Caller{User: "ada"}, nil
		},
	})
	defer stop()
	sku := map[string]any{
		"title": "Book", "shop_id": "shop", "kind": "virtual", "price": 900, "currency": "CNY", "stock": 10,
	}
	if err := sales.Call(context.Background(), http.MethodPut, "/admin/api/v1/skus/book", sku, nil); err != nil {
		panic(err)
	}
	request := httptest.NewRequest(http.MethodPost, "/api/v1/orders",
		strings.NewReader(`{"items":[{"sku_id":"book","quantity":2}]}`))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", "basket-1")
	answer := httptest.NewRecorder()
	sales.ServeHTTP(answer, request)
	fmt.Println(answer.Code)
	// Output:
	// order.placed ada unpaid 1800 CNY
	// 201
}

func ExampleConfig_metrics() {
	registry := prometheus.NewRegistry() // the program's own
	_, stop := running(onrush.Config{Metrics: registry})
	families, err := registry.Gather()
	fmt.Println(len(families) > 20, err)
	stop()
	families, err = registry.Gather()
	fmt.Println(len(families), err)
	// Output:
	// true <nil>
	// 0 <nil>
}
