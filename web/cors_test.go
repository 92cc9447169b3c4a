package web

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp/fasthttputil"

	"onrush/modules/problem"
)

const (
	shopOrigin = "https://shop.example"
	deskOrigin = "https://desk.example:8443"
)

// crossApp has a route of each kind of caller, all of which need a token; it counts the requests that reach them.
func crossApp(t *testing.T, o Origins) (app *fiber.App, reached *int) {
	t.Helper()
	app, reached = newTestApp(t, Config{Origins: o}, quiet()), new(int)
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

func TestPagesMaySendHeadersOfThePlatformsOwn(t *testing.T) {
	t.Parallel()
	app, _ := crossApp(t, Origins{Buyers: []string{shopOrigin}, Headers: []string{"X-Tenant", "X-Geo"}})
	allowed := preflight(t, app, "/api/v1/orders", shopOrigin).Header.Get("Access-Control-Allow-Headers")
	for _, name := range []string{"Authorization", "traceparent", "X-Tenant", "X-Geo"} {
		assert.Contains(t, strings.Split(allowed, ","), name)
	}
}

// askRaw sends the bytes of a request to an app.
func askRaw(t *testing.T, app *fiber.App, request string) (status int, header http.Header) {
	t.Helper()
	listener := fasthttputil.NewInmemoryListener()
	t.Cleanup(func() { _ = listener.Close() })
	go func() { _ = app.Listener(listener) }()
	conn, err := listener.Dial()
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() { _, _ = conn.Write([]byte(request)) }() // it may be answered before it was read
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode, res.Header
}

func TestPagesMayReadWhyARequestNeverReachedItsRoute(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/orders"
	const (
		posts = "POST " + path + " HTTP/1.1\r\nContent-Length: "
		desk  = "POST /admin/api/v1/orders HTTP/1.1\r\nContent-Length: "
	)
	large, long := strings.Repeat("x", 70<<10), strings.Repeat("x", 20<<10)
	for name, row := range map[string]struct {
		origin, request string
		status          int
		allowed         string
	}{
		"a large body":        {shopOrigin, posts + "71680", 413, shopOrigin},
		"of another origin":   {"https://evil.example", posts + "71680", 413, ""},
		"another route":       {shopOrigin, "POST /livez HTTP/1.1\r\nContent-Length: 71680", 413, ""},
		"large headers":       {shopOrigin, "GET " + path + " HTTP/1.1\r\nX-Long: " + long, 431, "*"},
		"a large line":        {shopOrigin, "GET " + path + "?x=" + long + " HTTP/1.1", 431, "*"},
		"an unknown method":   {shopOrigin, "BREW " + path + " HTTP/1.1", 405, shopOrigin},
		"a path with dots":    {shopOrigin, "GET /api/v1/../x HTTP/1.1", 400, shopOrigin},
		"two lengths":         {shopOrigin, posts + "1\r\nContent-Length: 1", 400, shopOrigin},
		"operators' at 413":   {deskOrigin, desk + "71680", 413, deskOrigin},
		"buyers' at the desk": {shopOrigin, desk + "71680", 413, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, _ := crossApp(t, Origins{Buyers: []string{shopOrigin}, Operators: []string{deskOrigin}})
			status, header := askRaw(t, app, row.request+"\r\nHost: localhost\r\nOrigin: "+row.origin+"\r\n\r\n"+large)
			assert.Equal(t, row.status, status)
			assert.Equal(t, row.allowed, header.Get("Access-Control-Allow-Origin"))
			if row.allowed != "" {
				assert.Contains(t, header.Get("Access-Control-Expose-Headers"), "X-Request-Id")
			}
		})
	}
	app, _ := crossApp(t, Origins{})
	_, header := askRaw(t, app, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nX-Long: "+long+"\r\n\r\n")
	assert.Empty(t, header.Get("Access-Control-Allow-Origin"), "no pages may call")
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
