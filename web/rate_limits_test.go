package web

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/limit"
)

// sentFrom are requests of one client after the other, and the status of each under a limit of two.
var sentFrom = map[string]struct {
	from []string
	want []int
}{
	"one address":             {[]string{"203.0.113.9", "203.0.113.9", "203.0.113.9"}, []int{200, 200, 429}},
	"two addresses":           {[]string{"203.0.113.9", "203.0.113.9", "203.0.113.10"}, []int{200, 200, 200}},
	"a mapped address":        {[]string{"203.0.113.9", "::ffff:203.0.113.9", "203.0.113.9"}, []int{200, 200, 429}},
	"a /64 is one client":     {[]string{"2001:db8::1", "2001:db8::2", "2001:db8::ffff:3"}, []int{200, 200, 429}},
	"another /64 is another":  {[]string{"2001:db8::1", "2001:db8::1", "2001:db8:0:1::1"}, []int{200, 200, 200}},
	"loopback doesn't count":  {[]string{"127.0.0.1", "127.0.0.1", "127.0.0.1", "::1"}, []int{200, 200, 200, 200}},
	"a proxy doesn't count":   {[]string{"", "", ""}, []int{200, 200, 200}},
	"a client behind a proxy": {[]string{"203.0.113.9, 10.1.1.1", "203.0.113.9", "203.0.113.9"}, []int{200, 200, 429}},
}

func TestAddressesHaveALimitOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, row := range sentFrom {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := newTestApp(t, Config{TrustedProxies: []string{"0.0.0.0", "10.0.0.0/8"}}, quiet())
			policy := limit.Policy{Requests: 2, Period: 24 * time.Hour}
			limits := &RateLimits{Address: limit.NewLimiter("address", policy, nil, time.Now, quiet()), Log: quiet()}
			app.Use(limits.Handle)
			app.Get("/", func(c *fiber.Ctx) error { return c.SendString("") })
			for i, from := range row.from {
				a := askApp(t, app, "GET", "/", "", "X-Forwarded-For", from)
				assert.Equal(t, row.want[i], a.Status, "request %d", i+1)
				if a.Status == fiber.StatusTooManyRequests {
					assert.Equal(t, "43200", a.Header.Get("Retry-After"))
				}
			}
		})
	}
}

// Strangers are limited by address; they are no user, and share no limit of users and routes.
func TestStrangersHaveALimitByAddressAndNoneOfUsers(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{TrustedProxies: []string{"0.0.0.0"}}, quiet())
	auth, err := NewAuth(t.Context(), AuthConfig{Secret: strings.Repeat("s", 32)}, quiet(), time.Now)
	require.NoError(t, err)
	one := limit.Policy{Requests: 1, Period: 24 * time.Hour}
	two := limit.Policy{Requests: 2, Period: 24 * time.Hour}
	activities, err := NewRoute("GET /api/v1/activities")
	require.NoError(t, err)
	limits := &RateLimits{
		User:      limit.NewLimiter("user", one, nil, time.Now, quiet()),
		Routes:    []RouteLimit{{Route: activities, Limiter: limit.NewLimiter("route", one, nil, time.Now, quiet())}},
		Strangers: limit.NewLimiter("strangers", two, nil, time.Now, quiet()), Log: quiet(),
	}
	public := func(c *fiber.Ctx) bool { return c.Path() == "/api/v1/activities" }
	app.Use(auth.RequireUnless(public, RoleUser), limits.Handle)
	app.Get("/api/v1/*", func(c *fiber.Ctx) error { return c.SendString(Who(c).User) })
	statuses := func(from, token string, n int) (got []int) {
		for range n {
			headers := []string{"X-Forwarded-For", from}
			if token != "" {
				headers = append(headers, "Authorization", "Bearer "+token)
			}
			got = append(got, askApp(t, app, "GET", "/api/v1/activities", "", headers...).Status)
		}
		return got
	}
	assert.Equal(t, []int{200, 200, 429, 429}, statuses("203.0.113.1", "", 4))
	assert.Equal(t, []int{200, 200, 429}, statuses("203.0.113.2", "", 3), "another address")
	assert.Zero(t, limits.User.Refused())

	token, err := auth.Sign("ada", RoleUser, time.Hour)
	require.NoError(t, err)
	assert.Equal(t, []int{200, 429}, statuses("203.0.113.1", token, 2), "a user is no stranger")
	assert.Equal(t, []int{401}, statuses("203.0.113.3", "x.y.z", 1), "a token that is given must be valid")
	assert.Equal(t, 401, askApp(t, app, "GET", "/api/v1/orders", "").Status)
}

// Without ONRUSH_TRUSTED_PROXIES, all strangers behind a proxy of this machine have its address.
func TestStrangersBehindAnUntrustedProxyShareOneLimit(t *testing.T) {
	t.Parallel()
	two := limit.Policy{Requests: 2, Period: 24 * time.Hour}
	for name, proxies := range map[string][]string{"untrusted": nil, "trusted, without its header": {"0.0.0.0"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := newTestApp(t, Config{TrustedProxies: proxies}, quiet())
			limits := &RateLimits{
				Strangers: limit.NewLimiter("strangers", two, nil, time.Now, quiet()),
				Address:   limit.NewLimiter("address", two, nil, time.Now, quiet()), Log: quiet(),
			}
			app.Use(public, limits.Handle)
			app.Get("/", func(c *fiber.Ctx) error { return c.SendString("") })
			for i, want := range []int{200, 200, 429, 429} {
				from := []string{}
				if proxies == nil { // a header that only trusted proxies may send
					from = []string{"X-Forwarded-For", fmt.Sprint("203.0.113.", i)}
				}
				assert.Equal(t, want, askApp(t, app, "GET", "/", "", from...).Status, "request %d", i+1)
			}
			loopback := newTestApp(t, Config{TrustedProxies: []string{"0.0.0.0"}}, quiet())
			loopback.Use(public, limits.Handle)
			loopback.Get("/", func(c *fiber.Ctx) error { return c.SendString("") })
			for i, want := range []int{200, 200, 429} {
				a := askApp(t, loopback, "GET", "/", "", "X-Forwarded-For", "127.0.0.1")
				assert.Equal(t, want, a.Status, "request %d of a stranger on loopback", i+1)
			}
		})
	}
}

// public makes each caller a stranger, as Auth does on public routes.
func public(c *fiber.Ctx) error {
	c.Locals(identityKey{}, stranger)
	return c.Next()
}

// A site with a /48 has 65,536 networks of IPv6, each of which would have the limit of an address of its own.
func TestASiteOfIPv6HasABoundBesideItsNetworks(t *testing.T) {
	t.Parallel()
	one := limit.Policy{Requests: 1, Period: 24 * time.Hour}
	app := newTestApp(t, Config{TrustedProxies: []string{"0.0.0.0"}}, quiet())
	limits := &RateLimits{Address: limit.NewLimiter("address", one, nil, time.Now, quiet()), Log: quiet()}
	app.Use(limits.Handle)
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString("") })
	passed := 0
	for i := range 1000 {
		from := fmt.Sprintf("2001:db8:1:%x::1", i)
		if askApp(t, app, "GET", "/", "", "X-Forwarded-For", from).Status == fiber.StatusOK {
			passed++
		}
	}
	assert.Equal(t, limit.SiteTimes, passed)
	other := askApp(t, app, "GET", "/", "", "X-Forwarded-For", "2001:db8:2::1")
	assert.Equal(t, fiber.StatusOK, other.Status, "another /48")
}

func TestDryRunLogsHowManyRequestsAreOverALimit(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	app := newTestApp(t, Config{}, quiet())
	policy := limit.Policy{Requests: 2, Period: 24 * time.Hour}
	limits := &RateLimits{
		User: limit.NewLimiter("user", policy, nil, time.Now, quiet()), DryRun: true,
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	}
	app.Use(limits.Handle)
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString("") })
	for range 2 {
		assert.Equal(t, fiber.StatusOK, askApp(t, app, "GET", "/", "").Status)
	}
	assert.Empty(t, log.String())
	for range 3 {
		assert.Equal(t, fiber.StatusOK, askApp(t, app, "GET", "/", "").Status)
	}
	assert.Equal(t, int64(3), limits.User.Refused())
	assert.Equal(t, 1, strings.Count(log.String(), "limit=user policy=2/24h0m0s requests=1"), log.String())
}

// Clients of a network share its limit, beside the limits of their own addresses.
func TestNetworksHaveALimitOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		from []string
		want []int
	}{
		"a /24 of IPv4":          {[]string{"203.0.113.1", "203.0.113.2", "203.0.113.255"}, []int{200, 200, 429}},
		"another /24":            {[]string{"203.0.113.1", "203.0.113.2", "203.0.114.1"}, []int{200, 200, 200}},
		"a /48 of IPv6":          {[]string{"2001:db8::1", "2001:db8:0:1::2", "2001:db8::3"}, []int{200, 200, 429}},
		"loopback doesn't count": {[]string{"127.0.0.1", "127.0.0.2", "127.0.0.3"}, []int{200, 200, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := newTestApp(t, Config{TrustedProxies: []string{"0.0.0.0"}}, quiet())
			many := limit.Policy{Requests: 9, Period: 24 * time.Hour}
			few := limit.Policy{Requests: 2, Period: 24 * time.Hour}
			limits := &RateLimits{
				Address: limit.NewLimiter("address", many, nil, time.Now, quiet()),
				Network: limit.NewLimiter("network", few, nil, time.Now, quiet()), Log: quiet(),
			}
			app.Use(limits.Handle)
			app.Get("/", func(c *fiber.Ctx) error { return c.SendString("") })
			for i, from := range row.from {
				a := askApp(t, app, "GET", "/", "", "X-Forwarded-For", from)
				assert.Equal(t, row.want[i], a.Status, "request %d", i+1)
			}
		})
	}
}

// A proxy that is trusted passes on what the client has sent, and it is no address.
func TestAddressesThatCannotBeReadCountAsThatOfTheProxy(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{TrustedProxies: []string{"0.0.0.0"}}, quiet())
	limits := &RateLimits{
		Address: limit.NewLimiter("address", limit.Policy{Requests: 2, Period: 24 * time.Hour}, nil, time.Now, quiet()),
		Log:     quiet(),
	}
	app.Use(limits.Handle)
	app.Get("/", func(c *fiber.Ctx) error {
		assert.True(t, ClientOf(c).Counted.IsValid())
		return c.SendString("")
	})
	for i, from := range []string{"unknown", "203.0.113.9, _hidden", "203.0.113.1:x"} {
		want := fiber.StatusOK
		if i == 2 {
			want = fiber.StatusTooManyRequests
		}
		assert.Equal(t, want, askApp(t, app, "GET", "/", "", "X-Forwarded-For", from).Status, from)
	}
}

func TestRouteLimitsMatchTheirRoutesOnly(t *testing.T) {
	t.Parallel()
	policy := limit.Policy{Requests: 1, Period: 24 * time.Hour}
	limiter := limit.NewLimiter("route", policy, nil, time.Now, quiet())
	submit, err := NewRoute("POST /api/v1/seckill/*/submit")
	require.NoError(t, err)
	for request, want := range map[string]bool{
		"POST /api/v1/seckill/abc/submit": true, "POST /api/v1/seckill//submit": true,
		"GET /api/v1/seckill/abc/submit": false, "POST /api/v1/seckill/abc": false, "POST ": false,
		"POST /api/v1/seckill/abc/confirm": false, "POST /api/v1/seckill/abc/submit/": false,
		"POST /api/v1/seckill/abc/submit/x": false,
	} {
		method, path, _ := strings.Cut(request, " ")
		assert.Equal(t, want, submit.matches(method, path), request)
	}
	for _, text := range []string{
		"", "/api/v1/orders", "POST", "FETCH /api/v1/orders", "POST /admin/api/v1/queue", "post /api/v1/x",
	} {
		_, err := NewRoute(text)
		require.Error(t, err, text)
	}

	app := newTestApp(t, Config{}, quiet())
	limits := &RateLimits{
		Routes: []RouteLimit{{Route: submit, Limiter: limiter}}, Submit: submit, Log: quiet(),
	}
	app.Use(limits.Handle)
	app.Post("/api/v1/seckill/:path/confirm", func(c *fiber.Ctx) error { return c.SendString("") })
	app.Post("/api/v1/seckill/:path/submit", func(c *fiber.Ctx) error { return RateLimited(c) })
	for range 3 {
		assert.Equal(t, 200, askApp(t, app, "POST", "/api/v1/seckill/x/confirm", "").Status)
	}
	assert.Equal(t, 200, askApp(t, app, "POST", "/api/v1/seckill/x/submit", "").Status)
	assert.Equal(t, 429, askApp(t, app, "POST", "/api/v1/seckill/y/submit", "").Status, "the route's, not the path's")
}
