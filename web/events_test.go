package web

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

type taskState struct {
	Status string `json:"status"`
}

// steps answers with one status after the other, the last one being the end.
func steps(statuses ...string) Next {
	at := 0
	return func(context.Context) (any, bool, error) {
		status := statuses[min(at, len(statuses)-1)]
		at++
		switch status {
		case "away":
			return nil, false, problem.Unavailable(io.EOF, "Away.")
		case "gone":
			return nil, false, problem.NotFound("task")
		case "panic":
			panic("in a stream")
		}
		return taskState{status}, at >= len(statuses), nil
	}
}

func event(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

func TestEventsReportEachChangeOnceAndEnd(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/done", func(c *fiber.Ctx) error { return Events(c, "task", time.Hour, steps("SUCCESS")) })
	app.Get("/changes", func(c *fiber.Ctx) error {
		return Events(c, "task", time.Hour, steps("SUBMITTED", "SUBMITTED", "away", "SUBMITTED", "SUCCESS"))
	})
	app.Get("/gone", func(c *fiber.Ctx) error { return Events(c, "task", time.Hour, steps("gone")) })
	app.Get("/goes", func(c *fiber.Ctx) error {
		return Events(c, "task", time.Hour, steps("SUBMITTED", "gone"))
	})
	app.Get("/panics", func(c *fiber.Ctx) error {
		return Events(c, "task", time.Hour, steps("SUBMITTED", "panic"))
	})
	submitted, success := event("task", `{"status":"SUBMITTED"}`), event("task", `{"status":"SUCCESS"}`)
	got := askApp(t, app, "GET", "/done", "")
	assert.Equal(t, "text/event-stream", got.Header.Get("Content-Type"))
	assert.Equal(t, "no-store", got.Header.Get("Cache-Control"))
	assert.Equal(t, success, got.Body)
	assert.Equal(t, submitted+success, askApp(t, app, "GET", "/changes", "").Body)
	assert.Equal(t, problem.CodeNotFound.Name, askApp(t, app, "GET", "/gone", "").problem(t).Code)
	assert.Equal(t, submitted, askApp(t, app, "GET", "/panics", "").Body)
	body := askApp(t, app, "GET", "/goes", "").Body
	rest, found := strings.CutPrefix(body, submitted+"event: problem\ndata: ")
	require.True(t, found, body)
	var p Problem
	require.NoError(t, json.Unmarshal([]byte(rest), &p))
	assert.Equal(t, problem.CodeNotFound.Name, p.Code)
}

func TestEventsReachTheClientWhileTheStreamIsOpen(t *testing.T) {
	t.Parallel()
	stop, cancel := context.WithCancel(t.Context())
	app, err := NewApp(stop, Config{}, quiet(), func() string { return "x" })
	require.NoError(t, err)
	var state atomic.Value
	state.Store("SUBMITTED")
	app.Get("/", func(c *fiber.Ctx) error {
		return Events(c, "task", time.Hour, func(context.Context) (any, bool, error) {
			return taskState{state.Load().(string)}, false, nil
		})
	})
	conn := dial(t, app)
	go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n") }()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer resp.Body.Close() //nolint:errcheck // only read
	lines := bufio.NewReader(resp.Body)
	next := func() string {
		t.Helper()
		name, err := lines.ReadString('\n')
		require.NoError(t, err)
		data, err := lines.ReadString('\n')
		require.NoError(t, err)
		end, err := lines.ReadString('\n')
		require.NoError(t, err)
		return name + data + end
	}
	assert.Equal(t, event("task", `{"status":"SUBMITTED"}`), next())
	state.Store("MOVED")
	assert.Equal(t, event("task", `{"status":"MOVED"}`), next())
	cancel() // the program stops
	_, err = lines.ReadString('\n')
	require.ErrorIs(t, err, io.EOF)
}

func TestEventsEndWhenTheClientDisconnects(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	var f *floor
	waits := make(chan struct{})
	app.Get("/", func(c *fiber.Ctx) error {
		f = floorOf(c)
		first := true
		return Events(c, "task", time.Hour, func(ctx context.Context) (any, bool, error) {
			if first {
				first = false
				return 1, false, nil
			}
			close(waits)
			<-ctx.Done() // without events, only the end of the connection ends the stream before a heartbeat
			return nil, false, ctx.Err()
		})
	})
	conn := dial(t, app)
	go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n") }()
	_, err := http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // closed with the connection
	require.NoError(t, err)
	<-waits
	require.Equal(t, 1, f.streams.count())
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return f.streams.count() == 0 }, heartbeat/2, time.Millisecond)
}

func TestStreamWithoutEventsSendsHeartbeatsAndEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := bufio.NewWriter(&out)
		same := func(context.Context) (any, bool, error) { return taskState{"SUBMITTED"}, false, nil }
		s := &stream{
			event: "task", next: Every(time.Second, same), write: time.Second, log: quiet(),
			conn: deadConn{},
		}
		s.sent = []byte(`{"status":"SUBMITTED"}`)
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		started := time.Now()
		s.run(ctx, w, false)
		assert.Equal(t, event("task", `{"status":"SUBMITTED"}`)+strings.Repeat(":\n\n", 3), out.String())
		assert.Equal(t, 35*time.Second, time.Since(started))
	})
}

func TestStreamEndsWithAProblemWhenAStoreStaysAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := bufio.NewWriter(&out)
		away := func(context.Context) (any, bool, error) { return nil, false, problem.Unavailable(io.EOF, "Away.") }
		s := &stream{event: "task", next: away, write: time.Second, log: quiet(), conn: deadConn{}}
		s.sent = []byte(`{"status":"SUBMITTED"}`)
		started := time.Now()
		s.run(t.Context(), w, false)
		assert.Equal(t, unavailableFor, time.Since(started))
		rest, found := strings.CutPrefix(out.String(), event("task", `{"status":"SUBMITTED"}`)+"event: problem\ndata: ")
		require.True(t, found, out.String())
		var p Problem
		require.NoError(t, json.Unmarshal([]byte(rest), &p))
		assert.Equal(t, problem.CodeUnavailable.Name, p.Code)
	})
}
