package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp/fasthttputil"

	"onrush/modules/problem"
	"onrush/modules/tracing"
)

func TestErrorsOfHandlersAreProblems(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp 10.0.0.7: refused")
	rows := map[string]struct {
		err    error
		status int
		code   problem.Code
		detail string
	}{
		"an error with a code": {
			problem.Errorf(codeSoldOut, "Nothing is left."), 409, codeSoldOut, "Nothing is left.",
		},
		"one that is wrapped": {
			fmt.Errorf("submit: %w", problem.NotFound("order")), 404, problem.CodeNotFound, "There is no such order.",
		},
		"an unavailable store": {
			problem.Unavailable(cause, "Please try again."), 503, problem.CodeUnavailable, "Please try again.",
		},
		"a deadline that passed": {
			fmt.Errorf("select: %w", context.DeadlineExceeded), 503, problem.CodeUnavailable,
			"This took too long. Please try again.",
		},
		"an unexpected error": {
			cause, 500, problem.CodeInternal, "Something went wrong here. The request id finds it in the log.",
		},
		"an internal error with details": {
			&problem.Error{Code: problem.CodeInternal, Detail: "key onrush:{1}:dead", Err: cause}, 500,
			problem.CodeInternal, "Something went wrong here. The request id finds it in the log.",
		},
		"a code that has no status": {
			problem.Errorf(problem.Code{Name: "new_code"}, "SELECT 1"), 500, problem.CodeInternal,
			"Something went wrong here. The request id finds it in the log.",
		},
		"an error of the router": {fiber.ErrNotFound, 404, problem.CodeNotFound, "There is no such route."},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := newTestApp(t, Config{}, quiet())
			app.Get("/", func(*fiber.Ctx) error { return row.err })
			got := askApp(t, app, "GET", "/", "")
			p := got.problem(t)
			assert.Equal(t, row.status, got.Status)
			assert.Equal(t, row.code.Name, p.Code)
			assert.Equal(t, row.detail, p.Detail)
			assert.Equal(t, "urn:onrush:problem:"+row.code.Name, p.Type)
			assert.NotContains(t, got.Body, "10.0.0.7")
		})
	}
}

func TestProblemCarriesFieldsRetryAndTask(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/", func(*fiber.Ctx) error {
		return &problem.Error{
			Code: problem.CodeUnavailable, Detail: "Unknown.", Fields: []problem.Field{{Name: "a", Detail: "is wrong"}},
			RetryAfter: 1200 * time.Millisecond, RefreshAfter: 300 * time.Millisecond, TaskID: "3~demo~x~y",
		}
	})
	got := askApp(t, app, "GET", "/", "")
	assert.Equal(t, "2", got.Header.Get("Retry-After"))
	assert.JSONEq(t, `{"type":"urn:onrush:problem:unavailable","title":"Unavailable","status":503,"detail":"Unknown.",
		"code":"unavailable","errors":[{"field":"a","detail":"is wrong"}],"refresh_after_ms":300,`+
		`"task_id":"3~demo~x~y","request_id":"made-here"}`, got.Body)
}

func TestPanicIsInternalAndLoggedWithItsStack(t *testing.T) {
	t.Parallel()
	log := &logged{}
	app := newTestApp(t, Config{}, log.logger(slog.LevelInfo))
	app.Get("/boom", func(*fiber.Ctx) error { panic("secret state") })
	got := askApp(t, app, "GET", "/boom", "")
	assert.Equal(t, problem.CodeInternal.Name, got.problem(t).Code)
	assert.NotContains(t, got.Body, "secret state")
	assert.Contains(t, log.String(), "secret state")
	assert.Contains(t, log.String(), "server_test.go")
	assert.Contains(t, log.String(), "request_id=made-here")
}

func TestUnknownRoutesAndMethodsAreProblems(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/things/:id", func(c *fiber.Ctx) error { return c.SendString("one") })
	assert.Equal(t, problem.CodeNotFound.Name, askApp(t, app, "GET", "/nothing", "").problem(t).Code)
	assert.Equal(t, problem.CodeNotFound.Name, askApp(t, app, "GET", "/things/1/", "").problem(t).Code)
	got := askApp(t, app, "POST", "/things/1", "")
	assert.Equal(t, CodeMethodNotAllowed.Name, got.problem(t).Code)
	assert.Contains(t, got.Header.Get("Allow"), "GET")
	got = raw(t, app, "BREW /things/1 HTTP/1.1\r\nHost: a\r\n\r\n")
	assert.Equal(t, http.StatusMethodNotAllowed, got.Status)
	assert.Equal(t, CodeMethodNotAllowed.Name, got.problem(t).Code)
}

func TestRequestsThatAreTooLargeAreProblems(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{BodyLimit: 100, ReadBuffer: 1024}, quiet())
	app.Post("/", func(c *fiber.Ctx) error { return c.SendString("read") })
	body := strings.Repeat("x", 101)
	got := raw(t, app, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n"+body)
	assert.Equal(t, http.StatusRequestEntityTooLarge, got.Status)
	assert.Equal(t, CodeTooLarge.Name, got.problem(t).Code)
	got = raw(t, app, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n"+body+"\r\n0\r\n\r\n")
	assert.Equal(t, CodeTooLarge.Name, got.problem(t).Code)
	got = raw(t, app, "GET / HTTP/1.1\r\nHost: a\r\nX-Long: "+strings.Repeat("x", 2000)+"\r\n\r\n")
	assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, got.Status)
	assert.Equal(t, CodeHeadersTooLarge.Name, got.problem(t).Code)
	assert.Equal(t, "made-here", got.Header.Get(HeaderRequestID))
}

func TestMalformedHTTPIsABadRequest(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	got := raw(t, app, "hello\r\n\r\n")
	assert.Equal(t, http.StatusBadRequest, got.Status)
	assert.Equal(t, CodeBadRequest.Name, got.problem(t).Code)
}

func TestAnswersCarryRequestIDAndSecurityHeaders(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString(RequestID(c)) })
	got := askApp(t, app, "GET", "/", "", HeaderRequestID, "theirs-1.a_b")
	assert.Equal(t, "theirs-1.a_b", got.Header.Get(HeaderRequestID))
	assert.Equal(t, "theirs-1.a_b", got.Body)
	assert.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
	assert.Equal(t, "no-store", got.Header.Get("Cache-Control"))
	for _, bad := range []string{"", "a b", "ä", strings.Repeat("x", 65), "a;b"} {
		assert.Equal(t, "made-here", askApp(t, app, "GET", "/", "", HeaderRequestID, bad).Header.Get(HeaderRequestID))
	}
}

func TestEveryRequestHasADeadline(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{RequestDeadline: 10 * time.Millisecond}, quiet())
	app.Get("/", func(c *fiber.Ctx) error {
		<-c.UserContext().Done()
		return fmt.Errorf("wait: %w", c.UserContext().Err())
	})
	app.Get("/long", Within(time.Hour), func(c *fiber.Ctx) error {
		until, ok := c.UserContext().Deadline()
		assert.True(t, ok)
		assert.Greater(t, time.Until(until), 59*time.Minute)
		return c.UserContext().Err()
	})
	got := askApp(t, app, "GET", "/", "")
	assert.Equal(t, problem.CodeUnavailable.Name, got.problem(t).Code)
	assert.Equal(t, "1", got.Header.Get("Retry-After"))
	assert.Equal(t, 200, askApp(t, app, "GET", "/long", "").Status)
}

func TestAccessLogNamesTheRouteNotThePath(t *testing.T) {
	t.Parallel()
	for level, lines := range map[slog.Level]int{slog.LevelDebug: 2, slog.LevelInfo: 0} {
		log := &logged{}
		app := newTestApp(t, Config{}, log.logger(level))
		app.Get("/things/:id", func(c *fiber.Ctx) error {
			if c.Params("id") == "2" {
				return problem.NotFound("thing")
			}
			return c.SendString("ok")
		})
		askApp(t, app, "GET", "/things/1", "")
		askApp(t, app, "GET", "/things/2", "")
		assert.Equal(t, lines, strings.Count(log.String(), "msg=request "), log.String())
		assert.Equal(t, lines, strings.Count(log.String(), "route=/things/:id"), log.String())
	}
}

// keeper is a handler of a log that keeps its errors after the request is over, as some do.
type keeper struct {
	slog.Handler

	kept chan slog.Record
}

func (keeper) Enabled(context.Context, slog.Level) bool { return true }

func (k keeper) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelError {
		k.kept <- r.Clone()
	}
	return nil
}

func TestLinesOfTheLogMayBeKept(t *testing.T) {
	t.Parallel()
	kept := make(chan slog.Record, 1)
	handler := tracing.LogHandler{Handler: keeper{Handler: slog.DiscardHandler, kept: kept}}
	app := newTestApp(t, Config{}, slog.New(handler))
	app.Get("/broken/:id", func(*fiber.Ctx) error { return errors.New("broken") })
	app.Post("/fine", func(c *fiber.Ctx) error { return c.SendString("ok") })
	conn := fasthttputil.NewInmemoryListener()
	defer func() { _ = conn.Close() }()
	go func() { _ = app.Listener(conn) }()
	client, err := conn.Dial()
	require.NoError(t, err)
	answers := bufio.NewReader(client)
	for _, request := range []string{"GET /broken/1", "POST /fine"} {
		_, err := fmt.Fprintf(client, "%s HTTP/1.1\r\nHost: shop\r\nContent-Length: 0\r\n\r\n", request)
		require.NoError(t, err)
		res, err := http.ReadResponse(answers, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	line := <-kept
	attrs := map[string]string{}
	line.Attrs(func(a slog.Attr) bool {
		attrs[a.Key] = a.Value.String()
		return true
	})
	assert.Equal(t,
		map[string]string{"method": "GET", "route": "/broken/:id", "request_id": "made-here", "error": "broken"}, attrs)
}

func TestConfigIsCheckedOnce(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{
		{BodyLimit: -1},
		{ReadBuffer: -1},
		{RequestDeadline: -time.Second},
		{TrustedProxies: []string{"proxy"}},
		{Connections: -5},
	} {
		_, err := NewApp(t.Context(), cfg, quiet(), func() string { return "x" })
		require.Error(t, err, "%+v", cfg)
	}
}

func TestClientIPTrustsOnlyConfiguredProxies(t *testing.T) {
	t.Parallel()
	// The peer of a test request is 0.0.0.0.
	rows := map[string]struct {
		trusted []string
		header  string
		want    string
	}{
		"no proxy is trusted":      {nil, "203.0.113.9", "0.0.0.0"},
		"another proxy is trusted": {[]string{"10.0.0.0/8"}, "203.0.113.9", "0.0.0.0"},
		"the peer is a proxy":      {[]string{"0.0.0.0"}, "203.0.113.9", "203.0.113.9"},
		"the client made a hop up": {[]string{"0.0.0.0"}, "198.51.100.1, 203.0.113.9", "203.0.113.9"},
		"two proxies": {
			[]string{"0.0.0.0", "10.0.0.0/8"}, "198.51.100.1, 203.0.113.9, 10.1.2.3", "203.0.113.9",
		},
		"a hop with a port":                {[]string{"0.0.0.0"}, "[2001:db8::1]:443", "2001:db8::1"},
		"a hop that is no address":         {[]string{"0.0.0.0"}, "203.0.113.9, unknown", "0.0.0.0"},
		"an empty hop at the end":          {[]string{"0.0.0.0"}, "203.0.113.9,", "203.0.113.9"},
		"an empty hop between":             {[]string{"0.0.0.0/4"}, "203.0.113.9,,10.0.0.1,", "203.0.113.9"},
		"nothing but empty hops":           {[]string{"0.0.0.0"}, " , ,", "0.0.0.0"},
		"garbage behind an empty hop":      {[]string{"0.0.0.0"}, "203.0.113.9, x,", "0.0.0.0"},
		"a mapped address":                 {[]string{"0.0.0.0"}, "::ffff:203.0.113.9", "203.0.113.9"},
		"an empty header":                  {[]string{"0.0.0.0"}, "", "0.0.0.0"},
		"an address with a very long zone": {[]string{"0.0.0.0"}, "fe80::1%" + strings.Repeat("z", 200), "fe80::1"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := newTestApp(t, Config{TrustedProxies: row.trusted}, quiet())
			app.Get("/", func(c *fiber.Ctx) error { return c.SendString(ClientIP(c)) })
			assert.Equal(t, row.want, askApp(t, app, "GET", "/", "", "X-Forwarded-For", row.header).Body)
		})
	}
}
