package crowd

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"onrush/modules/catalogue"
	"onrush/modules/loop"
	"onrush/modules/seckill"
	"onrush/modules/seckill/inventory"
	"onrush/web"
)

// shop is a program that answers each request in the same way.
type shop struct{ handler fasthttp.RequestHandler }

func (shop) Get(context.Context, string) (*seckill.Activity, error) {
	return &seckill.Activity{State: seckill.Published, SKUs: []seckill.ActivitySKU{
		{SKU: "sku", Kind: catalogue.Virtual, Stock: []seckill.PointStock{{Point: catalogue.DefaultPoint, Total: 9}}},
	}}, nil
}

func (shop) Point(context.Context, string) (catalogue.Point, error) { return catalogue.Point{}, nil }

func (shop) PointFor(context.Context, string, func(string) bool) (catalogue.Point, bool, error) {
	return catalogue.Point{}, false, nil
}

func (shop) Audit(context.Context, string) (*inventory.Audit, error) {
	return &inventory.Audit{
		Items:  []inventory.AuditItem{{Drift: 2}, {Drift: -1}},
		Totals: []inventory.AuditTotal{{Remaining: 9, Drift: -4}},
	}, nil
}

func (s shop) Account(ctx context.Context, id string) (*inventory.Audit, error) {
	return s.Audit(ctx, id)
}

func (s shop) crowd(ctx context.Context) *Crowd {
	return New(ctx, Deps{
		Handler: s.handler, Sales: s, Points: s, Auditor: s, Now: time.Now, Random: rand.Uint64,
		NewID: func() string { return "abcdefghijkl" }, Log: slog.New(slog.DiscardHandler),
		Sign: func(user string, _ web.Role, _ time.Duration, _ ...string) (string, error) { return user, nil },
	})
}

// refusing answers each path request with a code.
func refusing(code string) shop {
	return shop{func(c *fasthttp.RequestCtx) {
		c.SetStatusCode(409)
		again := "1000"
		if code == "sold_out_unpaid_pending" {
			again = "600000"
		}
		c.SetBodyString(`{"code":"` + code + `","refresh_after_ms":` + again + `}`)
	}}
}

func TestABuyerWaitsForPermitsForAMinuteAndLeavesASoldOutSaleSoon(t *testing.T) {
	t.Parallel()
	for code, longest := range map[string]time.Duration{
		"no_permit": patience, "sale_paused": patience, "overloaded": 10 * time.Second,
		"sold_out_unpaid_pending": 3 * time.Second, "ended": 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := refusing(code).crowd(t.Context())
			_, err := c.Start(t.Context(), "sale", "", 5)
			require.NoError(t, err)
			c.Wait()
			s := c.State()
			assert.Equal(t, 5, s.Refused, code)
			assert.Equal(t, s.Requests, s.Answers["path:"+code])
			assert.LessOrEqual(t, s.ElapsedMS, longest.Milliseconds(), code)
			assert.GreaterOrEqual(t, s.ElapsedMS, longest.Milliseconds()/2, code)
			assert.EqualValues(t, 7, s.Drift, "drifts of both signs don't cancel out")
			require.NotNil(t, s.OK)
			assert.False(t, *s.OK)
		})
	}
}

func TestAPanicOfABuyerEndsThatBuyerOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		c := shop{func(c *fasthttp.RequestCtx) {
			if n.Add(1) == 1 {
				panic("the handler of a test")
			}
			c.SetBodyString(`{"path":"x"}`)
		}}.crowd(t.Context())
		_, err := c.Start(t.Context(), "sale", "", 10)
		require.NoError(t, err)
		c.Wait()
		s := c.State()
		assert.Equal(t, 9, s.Ordered)
		assert.Equal(t, 1, s.Refused)
		assert.False(t, s.Running)
	})
}

func TestRequestsOfACrowdAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		c := shop{func(c *fasthttp.RequestCtx) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			_ = loop.Wait(t.Context(), 10*time.Millisecond)
			now.Add(-1)
			c.SetBodyString(`{"path":"x"}`)
		}}.crowd(t.Context())
		_, err := c.Start(t.Context(), "sale", "", 500)
		require.NoError(t, err)
		c.Wait()
		assert.Equal(t, 500, c.State().Ordered)
		assert.EqualValues(t, maxRequests, most.Load())
	})
}
