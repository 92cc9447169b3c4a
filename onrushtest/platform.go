package onrushtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"onrush"
	"onrush/app/server"
	"onrush/modules/clock"
	"onrush/web"
)

// Platform is a platform that runs until its test ends.
type Platform struct {
	*onrush.Platform

	// URL is the address at which it is served in the test.
	URL string

	t     testing.TB
	ahead *atomic.Int64 // of the clock, in nanoseconds
	made  *server.Server
	once  *sync.Once
}

// In returns the platform for a subtest, which fails by itself. It ends with the test of New.
func (p *Platform) In(t testing.TB) *Platform {
	t.Helper()
	in := *p
	in.t = t
	return &in
}

// placeWithin is how long an order may take to be placed: the platform's clock is ahead of its Redis'.
const placeWithin = 5 * time.Minute

// New starts a platform. Without stores in cfg it has embedded ones, which are deleted when the test ends; without
// BaseURL it has URL, and without Log the test's output.
func New(t testing.TB, cfg onrush.Config) *Platform {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	p := &Platform{URL: "http://" + web.Listener.Addr().String(), t: t, ahead: &atomic.Int64{}, once: &sync.Once{}}
	if cfg.Dir == "" && cfg.Redis == "" && cfg.MySQL == "" {
		cfg.Dir = t.TempDir()
	}
	cfg.BaseURL = cmp.Or(cfg.BaseURL, p.URL)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	var err error
	p.Platform, err = onrush.New(server.WithHook(t.Context(), server.Hook{
		Change: func(parts *server.Parts) {
			parts.Now, parts.Clock, parts.PlaceWithin = p.Now, clock.Fixed(p.Now), placeWithin
		},
		Made: func(s *server.Server) { p.made = s },
	}), cfg)
	p.must(err)
	t.Cleanup(p.stop)
	p.must(p.Start(t.Context()))
	web.Config.Handler = p.Platform
	web.Start()
	t.Cleanup(web.Close) // before the platform
	return p
}

// stopWithin bounds the end of a test.
const stopWithin = 30 * time.Second

func (p *Platform) stop() {
	p.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		if err := p.Stop(ctx); err != nil {
			p.t.Errorf("onrushtest: %v", err)
		}
	})
}

func (p *Platform) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("onrushtest: %v", err)
	}
}

// Now returns the time of the platform's clock.
func (p *Platform) Now() time.Time { return time.Now().Add(time.Duration(p.ahead.Load())) }

// Advance sets the platform's clock forward. Jobs that are due run within a second or two, or at once with Job.
func (p *Platform) Advance(d time.Duration) {
	p.t.Helper()
	if d < 0 {
		p.t.Fatalf("onrushtest: the clock can't go back by %s", -d)
	}
	p.ahead.Add(int64(d))
}

// Job runs a job once, beside its runs at its own times, and returns how much it did. GET /admin/api/v1/jobs lists the
// names, such as cancel_unpaid.
func (p *Platform) Job(name string) int {
	p.t.Helper()
	for _, j := range p.made.Jobs {
		if j.Name == name {
			n, err := j.RunOnce(context.WithoutCancel(p.t.Context()))
			p.must(err)
			return n
		}
	}
	p.must(fmt.Errorf("there is no job %q", name))
	return 0
}

// Drain moves all orders to SQL, and gives all events their places, so that Events returns them.
func (p *Platform) Drain() {
	p.t.Helper()
	ctx := context.WithoutCancel(p.t.Context())
	p.must(p.made.Mover.Settle(ctx))
	_, err := p.made.Sequencer.RunOnce(ctx)
	p.must(err)
}

// Must calls an operators' route, as Call does.
func (p *Platform) Must(method, path string, body, into any) {
	p.t.Helper()
	p.must(p.Call(p.t.Context(), method, path, body, into))
}

// Sale is a sale of one sku. A field that is 0 or "" has its default.
type Sale struct {
	SKU       string        // default a new one
	Title     string        // default the sku
	Kind      string        // physical, virtual or voucher; default virtual, which needs no address
	Units     int           // default 100
	Price     int64         // of a unit in the sale, in minor units; default 100
	Currency  string        // default CNY
	Limit     int           // units that a buyer may have; default no limit
	PayWithin time.Duration // default 15 minutes

	// ID is the id of the sale, which Platform.Sale sets.
	ID string
}

// Sale makes a sku and a sale that has begun and lasts an hour.
func (p *Platform) Sale(s Sale) Sale {
	p.t.Helper()
	s.SKU = cmp.Or(s.SKU, server.NewID())
	s.Title, s.Kind, s.Currency = cmp.Or(s.Title, s.SKU), cmp.Or(s.Kind, "virtual"), cmp.Or(s.Currency, "CNY")
	s.Units, s.Price = cmp.Or(s.Units, 100), cmp.Or(s.Price, 100)
	s.PayWithin = cmp.Or(s.PayWithin, 15*time.Minute)
	p.Must(http.MethodPut, "/admin/api/v1/skus/"+s.SKU, map[string]any{
		"title": s.Title, "shop_id": "shop", "kind": s.Kind, "price": s.Price, "currency": s.Currency, "stock": 0,
	}, nil)
	sku := map[string]any{
		"sku_id": s.SKU, "flash_price": s.Price,
		"stock": []any{map[string]any{"point_id": "0", "quantity": s.Units}},
	}
	if s.Limit > 0 {
		sku["purchase_limit"] = s.Limit
	}
	begun := time.Now().Add(-time.Minute) // also by the clock of Redis, which stays behind
	var made struct {
		ID string `json:"activity_id"`
	}
	p.Must(http.MethodPost, "/admin/api/v1/activities", map[string]any{
		"title": s.Title, "shop_id": "shop", "starts_at": begun.UTC().Format(time.RFC3339),
		"ends_at": p.Now().Add(time.Hour).UTC().Format(time.RFC3339), "pay_within_s": int(s.PayWithin / time.Second),
		"skus": []any{sku},
	}, &made)
	s.ID = made.ID
	p.insist(func() error {
		return p.Call(p.t.Context(), http.MethodPost, "/admin/api/v1/activities/"+s.ID+"/publish", nil, nil)
	})
	return s
}

// patience is how long insist tries.
const patience = 20 * time.Second

// insist calls something until it is not unavailable: an instance that has just started may not know its site yet.
func (p *Platform) insist(call func() error) {
	p.t.Helper()
	for end := time.Now().Add(patience); ; {
		err := call()
		if failed, ok := errors.AsType[*onrush.Problem](err); !ok || failed.Status != http.StatusServiceUnavailable ||
			time.Now().After(end) {
			p.must(err)
			return
		}
		time.Sleep(pollEvery)
	}
}

// pollEvery is the pause between two questions.
const pollEvery = 20 * time.Millisecond

// Order is an order as operators see it, with what tests ask for most.
type Order struct {
	Number   string `json:"order_number"`
	Status   string `json:"status"`
	User     string `json:"user_id"`
	Amount   int64  `json:"total_amount"`
	Currency string `json:"currency"`
}

// Order reads an order, once it is in SQL.
func (p *Platform) Order(number string) (o Order) {
	p.t.Helper()
	p.Must(http.MethodGet, "/admin/api/v1/orders/"+number, nil, &o)
	return o
}

// token returns a token of a user in some segments for a day.
func (p *Platform) token(user string, in []string) string {
	p.t.Helper()
	token, err := p.made.Auth.Sign(user, web.RoleUser, 24*time.Hour, in...)
	p.must(err)
	return token
}
