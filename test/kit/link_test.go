package kit_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// echo returns a link to a server that sends everything back.
func echo(t *testing.T) *kit.Link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn); _ = conn.Close() }()
		}
	}()
	return kit.NewLink(t, listener.Addr().String())
}

func dial(t *testing.T, l *kit.Link) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", l.Addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// exchange sends a line and reads what comes back within a time.
func exchange(t *testing.T, conn net.Conn, within time.Duration) (string, error) {
	t.Helper()
	_, err := conn.Write([]byte("line\n"))
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(within)))
	return bufio.NewReader(conn).ReadString('\n')
}

func TestAHalfOpenConnectionAnswersNothingAndANewOneWorks(t *testing.T) {
	t.Parallel()
	link := echo(t)
	conn := dial(t, link)
	line, err := exchange(t, conn, time.Minute)
	require.NoError(t, err)
	require.Equal(t, "line\n", line)

	link.HalfOpen()
	for range 2 {
		_, err = exchange(t, conn, 50*time.Millisecond)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "it is neither answered nor closed")
	}
	_, err = exchange(t, dial(t, link), time.Minute)
	require.NoError(t, err)

	link.Cut()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = conn.Read(make([]byte, 1))
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "a cut ends it")
}

func TestALinkIsSlowWhileItIsDelayed(t *testing.T) {
	t.Parallel()
	const delay = 40 * time.Millisecond
	link := echo(t)
	conn := dial(t, link)
	_, err := exchange(t, conn, time.Minute)
	require.NoError(t, err)

	link.Delay(delay)
	begin := time.Now()
	_, err = exchange(t, conn, time.Minute)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(begin), 2*delay)

	link.Delay(time.Hour)
	_, err = exchange(t, conn, 50*time.Millisecond)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}
