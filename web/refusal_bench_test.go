package web

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"onrush/modules/limit"
	"onrush/modules/problem"
)

// BenchmarkRefusal measures what the server adds to an empty handler when it refuses a request: of many users
// over their limit, and with the problem of a handler.
func BenchmarkRefusal(b *testing.B) {
	auth, err := NewAuth(b.Context(), AuthConfig{Secret: "a secret of more than thirty-two bytes"}, quiet(), time.Now)
	require.NoError(b, err)
	const users = 1000
	tokens := make([]string, users)
	for i := range tokens {
		tokens[i], err = auth.Sign(fmt.Sprint("buyer-", i), RoleUser, time.Hour)
		require.NoError(b, err)
	}
	soldOut := problem.Code{Name: "sold_out_unpaid_pending", Status: fiber.StatusConflict}
	app := func(policy limit.Policy) fasthttp.RequestHandler {
		app, err := NewApp(b.Context(), Config{}, quiet(), func() string { return "abcdefghijklmnopqrstuvwxyz" })
		require.NoError(b, err)
		limits := &RateLimits{User: limit.NewLimiter("user", policy, nil, time.Now, quiet()), Log: quiet()}
		app.Use(auth.Require(RoleUser), limits.Handle)
		app.Post("/path", func(*fiber.Ctx) error {
			e := problem.Errorf(soldOut, "Sold out; units of unpaid orders may become available again.")
			e.RefreshAfter = time.Second
			return e
		})
		return app.Handler()
	}
	empty := fiber.New()
	empty.Post("/path", func(*fiber.Ctx) error { return nil })
	for _, row := range []struct {
		name   string
		serve  fasthttp.RequestHandler
		status int
	}{
		{"empty", empty.Handler(), fiber.StatusOK},
		{"limited", app(limit.Policy{Requests: 1, Period: 24 * time.Hour}), fiber.StatusTooManyRequests},
		{"problem", app(limit.Policy{Requests: 1_000_000, Period: time.Millisecond}), fiber.StatusConflict},
	} {
		b.Run(row.name, func(b *testing.B) {
			var c fasthttp.RequestCtx
			c.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, nil)
			c.Request.Header.SetMethod(fiber.MethodPost)
			c.Request.SetRequestURI("/path")
			c.Request.SetBodyString(`{"activity_id":"1","sku_id":"sku"}`)
			call := func(i int) {
				c.ResetUserValues()
				c.Response.Reset()
				c.Request.Header.Set(fiber.HeaderAuthorization, "Bearer "+tokens[i%users])
				row.serve(&c)
			}
			for i := range users {
				call(i)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				call(i)
				i++
			}
			require.Equal(b, row.status, c.Response.StatusCode())
		})
	}
}
