package web

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/tracing"
)

// logged is a log that a test can read.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) logger(level slog.Level) *slog.Logger {
	return slog.New(tracing.LogHandler{Handler: slog.NewTextHandler(l, &slog.HandlerOptions{Level: level})})
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// newTestApp makes an app whose request ids are all "made-here".
func newTestApp(t *testing.T, cfg Config, log *slog.Logger) *fiber.App {
	t.Helper()
	app, err := NewApp(context.Background(), cfg, log, func() string { return "made-here" })
	require.NoError(t, err)
	return app
}

type answer struct {
	Status int
	Header http.Header
	Body   string
}

func (a answer) problem(t *testing.T) Problem {
	t.Helper()
	assert.Equal(t, ProblemType, a.Header.Get("Content-Type"))
	var p Problem
	require.NoError(t, json.Unmarshal([]byte(a.Body), &p), a.Body)
	assert.Equal(t, a.Status, p.Status)
	return p
}

// ask sends a request; headers are name, value, name, value, …
func askApp(t *testing.T, app *fiber.App, method, path, body string, headers ...string) answer {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := app.Test(req, -1)
	require.NoError(t, err)
	return read(t, resp)
}

func read(t *testing.T, resp *http.Response) answer {
	t.Helper()
	defer resp.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return answer{Status: resp.StatusCode, Header: resp.Header, Body: string(data)}
}

// dial serves an app on a free port and opens a connection to it.
func dial(t *testing.T, app *fiber.App) net.Conn {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		_ = listener.Close()
		<-served
	})
	return conn
}

// raw sends text as it is and reads the answer.
func raw(t *testing.T, app *fiber.App, text string) answer {
	t.Helper()
	conn := dial(t, app)
	go func() { _, _ = io.WriteString(conn, text) }()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	return read(t, resp)
}

// deadConn is a connection that only takes deadlines.
type deadConn struct{ net.Conn }

func (deadConn) SetWriteDeadline(time.Time) error { return nil }

// codeSoldOut is a code of a module.
var codeSoldOut = problem.Code{Name: "sold_out", Status: http.StatusConflict}
