package web

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"

	"onrush/web/limit"
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
