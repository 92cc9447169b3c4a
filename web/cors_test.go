package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"

	"onrush/modules/problem"
)

const (
	shopOrigin = "https://shop.example"
	deskOrigin = "https://desk.example:8443"
)

// crossApp has a route of each kind of caller, all of which need a token; it counts the requests that reach them.
func crossApp(t *testing.T, o Origins) (app *fiber.App, reached *int) {
	t.Helper()
	app, reached = newTestApp(t, Config{}, quiet()), new(int)
	AllowOrigins(app, o)
	for _, path := range []string{"/api/v1/orders", "/admin/api/v1/orders", "/webhooks/pay/sandbox", "/livez"} {
		app.Post(path, func(c *fiber.Ctx) error {
			*reached++
			if c.Get(fiber.HeaderAuthorization) == "" {
				return problem.Errorf(problem.CodeUnauthorized, "No token.")
			}
			return c.SendString("")
		})
	}
	return app, reached
}

func preflight(t *testing.T, app *fiber.App, path, origin string) answer {
	t.Helper()
	return askApp(t, app, "OPTIONS", path, "", "Origin", origin, "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "authorization,idempotency-key")
}

func TestPagesOfAllowedOriginsMayCallAndReadTheAnswers(t *testing.T) {
	t.Parallel()
	app, reached := crossApp(t, Origins{Buyers: []string{shopOrigin}, Operators: []string{deskOrigin}})
	for path, origin := range map[string]string{"/api/v1/orders": shopOrigin, "/admin/api/v1/orders": deskOrigin} {
		a := preflight(t, app, path, origin)
		assert.Equal(t, http.StatusNoContent, a.Status)
		assert.Zero(t, *reached, "a preflight needs no token")
		assert.Equal(t, origin, a.Header.Get("Access-Control-Allow-Origin"))
		assert.Contains(t, a.Header.Get("Access-Control-Allow-Methods"), "POST")
		for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key"} {
			assert.Contains(t, a.Header.Get("Access-Control-Allow-Headers"), name)
		}
		assert.Equal(t, "7200", a.Header.Get("Access-Control-Max-Age"))
		assert.Contains(t, a.Header.Get("Vary"), "Origin")

		a = askApp(t, app, "POST", path, "", "Origin", origin)
		assert.Equal(t, http.StatusUnauthorized, a.Status)
		assert.Equal(t, origin, a.Header.Get("Access-Control-Allow-Origin"), "scripts may read refusals")
		assert.Equal(t, "Origin", a.Header.Get("Vary"))
		for _, name := range []string{"RateLimit-Remaining", "Retry-After", "X-Request-Id"} {
			assert.Contains(t, a.Header.Get("Access-Control-Expose-Headers"), name)
		}
		assert.Empty(t, a.Header.Get("Access-Control-Allow-Credentials"), "no cookie is a token")
		*reached = 0
	}
}

func TestPagesOfOtherOriginsMayNotReadAnswers(t *testing.T) {
	t.Parallel()
	app, _ := crossApp(t, Origins{Buyers: []string{shopOrigin}, Operators: []string{deskOrigin}})
	for _, row := range []struct{ path, origin string }{
		{"/api/v1/orders", deskOrigin},
		{"/api/v1/orders", "https://evil.example"},
		{"/api/v1/orders", "http://shop.example"},
		{"/api/v1/orders", "https://shop.example:444"},
		{"/api/v1/orders", "https://shop.example.evil.example"},
		{"/api/v1/orders", "https://evilshop.example"},
		{"/api/v1/orders", "null"},
		{"/admin/api/v1/orders", shopOrigin},
		{"/webhooks/pay/sandbox", shopOrigin},
		{"/webhooks/pay/sandbox", deskOrigin},
		{"/livez", shopOrigin},
	} {
		for _, a := range []answer{
			preflight(t, app, row.path, row.origin),
			askApp(t, app, "POST", row.path, "", "Origin", row.origin, "Authorization", "Bearer x"),
		} {
			assert.Empty(t, a.Header.Get("Access-Control-Allow-Origin"), row)
			if strings.Contains(row.path, "api") {
				assert.Contains(t, a.Header.Get("Vary"), "Origin", row)
			}
		}
	}
}

func TestWithoutOriginsThereIsNoCORS(t *testing.T) {
	t.Parallel()
	app, _ := crossApp(t, Origins{})
	assert.Equal(t, http.StatusMethodNotAllowed, preflight(t, app, "/api/v1/orders", shopOrigin).Status)
	a := askApp(t, app, "POST", "/api/v1/orders", "", "Origin", shopOrigin)
	for _, name := range []string{"Access-Control-Allow-Origin", "Vary"} {
		assert.Empty(t, a.Header.Get(name))
	}
}
