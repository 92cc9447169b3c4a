package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp/fasthttputil"

	"onrush/test/kit"
)

// undated is a listener whose connections ignore deadlines: a pipe's may only be set by one goroutine.
type undated struct{ net.Listener }

func (l undated) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return undatedConn{conn}, err
}

type undatedConn struct{ net.Conn }

func (undatedConn) SetDeadline(time.Time) error      { return nil }
func (undatedConn) SetReadDeadline(time.Time) error  { return nil }
func (undatedConn) SetWriteDeadline(time.Time) error { return nil }

// TestAnOpenEventStreamTakesLittle measures event streams that wait for a change. It is not parallel, since it
// measures the whole process; the connections are pipes in memory.
func TestAnOpenEventStreamTakesLittle(t *testing.T) { //nolint:paralleltest // see above
	n := 9000
	if testing.Short() {
		n = 500
	}
	app := newTestApp(t, Config{StreamsPerUser: maxStreams, StreamsPerAddress: maxStreams}, quiet())
	changed := make(chan struct{})
	app.Get("/", func(c *fiber.Ctx) error {
		first := true
		return Events(c, "task", time.Hour, func(ctx context.Context) (any, bool, error) {
			if first {
				first = false
				return taskState{"SUBMITTED"}, false, nil
			}
			select {
			case <-changed:
				return taskState{"SUCCESS"}, true, nil
			case <-ctx.Done():
				return nil, false, ctx.Err()
			}
		})
	})
	listener := fasthttputil.NewInmemoryListener()
	served := make(chan error, 1)
	go func() { served <- app.Listener(undated{listener}) }()
	before := usage()
	conns := make([]net.Conn, n)
	readers := make([]*bufio.Reader, n)
	for i := range n {
		conn, err := listener.Dial()
		require.NoError(t, err)
		conns[i] = conn
		_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		require.NoError(t, err)
		readers[i] = bufio.NewReaderSize(conn, 512)
		res, err := http.ReadResponse(readers[i], nil) //nolint:bodyclose // the stream stays open
		require.NoError(t, err)
		require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"), "%d", res.StatusCode)
		readers[i] = bufio.NewReaderSize(res.Body, 16)
		_, err = readers[i].ReadString('\n')
		require.NoError(t, err)
	}
	after := usage()
	goroutines := float64(after.goroutines-before.goroutines) / float64(n)
	bytes := (after.bytes - before.bytes) / uint64(n)
	t.Logf("%d streams: %.1f goroutines and %d bytes each, the client's side of the connection included",
		n, goroutines, bytes)
	assert.LessOrEqual(t, goroutines, 2.1)
	assert.LessOrEqual(t, bytes, uint64(64<<10))

	close(changed)
	kit.Crowd(n, func(i int) {
		_, err := io.Copy(io.Discard, readers[i])
		assert.NoError(t, err)
		assert.NoError(t, conns[i].Close())
	})
	require.NoError(t, listener.Close())
	<-served
}

// used is what the process uses.
type used struct {
	goroutines int
	bytes      uint64
}

func usage() used {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return used{runtime.NumGoroutine(), m.HeapInuse + m.StackInuse}
}
