package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	crowdUsers     = 2000
	requestSeconds = 1.0 // of one turn
)

// BenchmarkRequests compares kinds of requests with an empty Fiber handler: each of 2,000 users over 64 connections,
// with the limits on that the program has without settings.
func BenchmarkRequests(b *testing.B) {
	for _, bench := range []struct {
		name    string
		answer  string  // the answer that counts
		least   float64 // of the rate of the empty handler
		env     []string
		request func(b *testing.B, c *crowd) func(user string) load.Request
	}{
		{"sold-out", "409 sold_out_unpaid_pending", 0.33, nil, soldOutPath},
		{"not-started", "409 not_started", 0.31, nil, func(b *testing.B, c *crowd) func(string) load.Request {
			b.Helper()
			return pathOf(c.open(b, site.Sale{StartsIn: time.Hour, EndsIn: 2 * time.Hour}))
		}},
		{"limited", "429 rate_limited", 0.39, []string{"ONRUSH_LIMITS=user=1/1h"}, openPath},
		{"none-left", "409 no_permit", 0.325, nil, func(b *testing.B, c *crowd) func(string) load.Request {
			b.Helper()
			activity := c.open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1}, PermitRatio: 1})
			c.program.inspector.Buyer(b, "first").Path(b, activity, "sku")
			return pathOf(activity)
		}},
		{"path", "200", 0.37, nil, openPath},
		{"permits", "200", 0.23, nil, func(b *testing.B, c *crowd) func(string) load.Request {
			b.Helper()
			return pathOf(c.open(b, site.Sale{
				PermitRatio: 100, Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40},
			}))
		}},
		{"submit-sold-out", "409 sold_out_unpaid_pending", 0.165, nil, soldOutSubmit},
		{"activities", "200", 0.41, nil, func(b *testing.B, c *crowd) func(string) load.Request {
			b.Helper()
			c.open(b, site.Sale{})
			return func(string) load.Request { return load.Request{Method: http.MethodGet, Path: "/api/v1/activities"} }
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := newCrowd(b, bench.env...)
			request := bench.request(b, c)
			ours := load.Plan{Addr: c.program.addr(), Connections: connections, Seconds: few(requestSeconds)}
			for i := range crowdUsers {
				r := request(fmt.Sprintf("buyer-%d", i))
				r.Token = c.tokens[i]
				ours.Requests = append(ours.Requests, r)
			}
			empty := ours
			empty.Addr = serveEmpty(b)
			generate(b, ours) // tokens and users are known, and those with a limit are over it
			var speeds turns
			for b.Loop() {
				speeds.take(
					func() float64 {
						r := generate(b, ours)[0]
						b.Log(r)
						return r.Rate(bench.answer)
					},
					func() float64 { return generate(b, empty)[0].Rate("200") },
				)
			}
			speeds.report(b, "requests/s", "empty/s", bench.least)
		})
	}
}

// crowd is the program and the tokens of many users.
type crowd struct {
	program *program
	tokens  []string
}

func newCrowd(b *testing.B, env ...string) *crowd {
	b.Helper()
	c := &crowd{program: startProgram(b, env...)}
	for i := range crowdUsers {
		c.tokens = append(c.tokens, c.program.token(b, fmt.Sprintf("buyer-%d", i)))
	}
	return c
}

func (c *crowd) open(b *testing.B, sale site.Sale) string {
	b.Helper()
	return c.program.inspector.Open(b, sale)
}

// openOne opens a sale of one unit.
func (c *crowd) openOne(b *testing.B) (activity string) {
	b.Helper()
	return c.open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1}})
}

func pathOf(activity string) func(string) load.Request {
	return func(string) load.Request {
		return load.Request{
			Method: http.MethodPost, Path: "/api/v1/seckill/path",
			Body: `{"activity_id":"` + activity + `","sku_id":"sku"}`,
		}
	}
}

func openPath(b *testing.B, c *crowd) func(string) load.Request {
	b.Helper()
	return pathOf(c.open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}}))
}

func soldOutPath(b *testing.B, c *crowd) func(string) load.Request {
	b.Helper()
	activity := c.openOne(b)
	c.buy(b, c.program.submit(b, "first", activity))
	return pathOf(activity)
}

// soldOutSubmit returns the submits of users who took their paths before the sale was sold out.
func soldOutSubmit(b *testing.B, c *crowd) func(string) load.Request {
	b.Helper()
	activity := c.openOne(b)
	submits := map[string]load.Request{}
	for i := range crowdUsers {
		user := fmt.Sprintf("buyer-%d", i)
		submits[user] = c.program.submit(b, user, activity)
	}
	c.buy(b, c.program.submit(b, "first", activity))
	return func(user string) load.Request { return submits[user] }
}

// buy submits an order of the user first.
func (c *crowd) buy(b *testing.B, submit load.Request) {
	b.Helper()
	answer := c.program.inspector.Buyer(b, "first").Insist(http.MethodPost, submit.Path, "key-first", submit.Body)
	require.Equal(b, http.StatusAccepted, answer.Status, string(answer.Body))
}

// serveEmpty serves an empty handler, and returns its address.
func serveEmpty(b *testing.B) string {
	b.Helper()
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Use(func(*fiber.Ctx) error { return nil })
	return serve(b, app)
}

// serve serves an app, and returns its address.
func serve(b *testing.B, app *fiber.App) string {
	b.Helper()
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	go func() { _ = app.Listener(listener) }()
	b.Cleanup(func() { _ = app.ShutdownWithContext(context.WithoutCancel(b.Context())) })
	return listener.Addr().String()
}
