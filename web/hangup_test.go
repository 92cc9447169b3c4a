//go:build unix

package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// overTCP serves an app on a port of its own and returns its address.
func overTCP(t *testing.T, app *fiber.App) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- app.Listener(ln) }()
	t.Cleanup(func() {
		assert.NoError(t, app.Shutdown())
		assert.NoError(t, <-served)
	})
	return ln.Addr().String()
}

// streamOver opens an event stream over a connection of its own and returns both once its first event has come.
func streamOver(t *testing.T, address, more string) (net.Conn, *http.Response, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"+more)
	require.NoError(t, err)
	all := bufio.NewReader(conn)
	res, err := http.ReadResponse(all, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode == http.StatusOK {
		_, err = bufio.NewReaderSize(res.Body, 16).ReadString('\n')
		require.NoError(t, err)
	}
	return conn, res, all
}

// following answers with a stream that sends its first state and then waits. Each wait ends with the error of its
// context.
func following(ends chan<- error) func(c *fiber.Ctx) error {
	return func(c *fiber.Ctx) error {
		first := true
		return Events(c, "task", time.Hour, func(ctx context.Context) (any, bool, error) {
			if first {
				first = false
				return taskState{"SUBMITTED"}, false, nil
			}
			<-ctx.Done()
			ends <- ctx.Err()
			return nil, false, ctx.Err()
		})
	}
}

// A stream that waits would notice only at its next heartbeat, when its wait is over, that its client has gone.
func TestAStreamWhoseClientHasGoneIsGivenBackAtOnce(t *testing.T) {
	t.Parallel()
	ends := make(chan error, 10)
	app := newTestApp(t, Config{}, quiet())
	app.Get("/", following(ends))
	address := overTCP(t, app)
	for range 5 {
		conn, res, _ := streamOver(t, address, "") //nolint:bodyclose // the connection is closed
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.NoError(t, conn.Close())
		require.ErrorIs(t, <-ends, context.Canceled, "its wait was not over")
	}
}

// What a client sends during a stream is its next request, which is answered when the stream has ended.
func TestARequestBehindAStreamIsAnswered(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	app := newTestApp(t, Config{}, quiet())
	app.Get("/", func(c *fiber.Ctx) error {
		first := true
		return Events(c, "task", time.Hour, func(ctx context.Context) (any, bool, error) {
			if first {
				first = false
				return taskState{"SUBMITTED"}, false, nil
			}
			select {
			case <-ctx.Done():
				return nil, false, ctx.Err()
			case <-stop:
				return taskState{"SUCCESS"}, true, nil
			}
		})
	})
	app.Get("/next", func(c *fiber.Ctx) error { return c.SendString("next") })
	address := overTCP(t, app)
	for _, early := range []bool{true, false} {
		request := "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"
		if !early {
			request = ""
		}
		conn, res, all := streamOver(t, address, request) //nolint:bodyclose // the connection is closed
		if !early {
			_, err := io.WriteString(conn, "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
			require.NoError(t, err)
			for range 20 { // meanwhile the watch of the stream sees it
				res, err := http.Get("http://" + address + "/next")
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
			}
		}
		stop <- struct{}{}
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		assert.Contains(t, string(body), "SUCCESS")
		next, err := http.ReadResponse(all, nil)
		require.NoError(t, err)
		text, err := io.ReadAll(next.Body)
		require.NoError(t, err)
		require.NoError(t, next.Body.Close())
		assert.Equal(t, "next", strings.TrimSpace(string(text)))
	}
}
