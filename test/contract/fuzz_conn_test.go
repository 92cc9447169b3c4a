package contract

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/site"
)

// memoryConn is a connection in memory: a request that is read to its end, and the answer. The client of a stream has
// gone, so that a stream ends after its first event.
type memoryConn struct {
	in  *bytes.Reader
	out bytes.Buffer

	gone syscall.RawConn // of a connection that was closed at its other end
}

func (c *memoryConn) Read(p []byte) (int, error)  { return c.in.Read(p) }
func (c *memoryConn) Write(p []byte) (int, error) { return c.out.Write(p) }
func (c *memoryConn) Close() error                { return nil }
func (c *memoryConn) LocalAddr() net.Addr         { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (c *memoryConn) RemoteAddr() net.Addr                      { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (c *memoryConn) SetDeadline(time.Time) error               { return nil }
func (c *memoryConn) SetReadDeadline(time.Time) error           { return nil }
func (c *memoryConn) SetWriteDeadline(time.Time) error          { return nil }
func (c *memoryConn) SyscallConn() (syscall.RawConn, error)     { return c.gone, nil }
func (c *memoryConn) answer(method string) (site.Answer, error) { return readAnswer(&c.out, method) }

// readAnswer reads the first answer; io.EOF is none.
func readAnswer(out io.Reader, method string) (site.Answer, error) {
	reader := bufio.NewReader(out)
	if _, err := reader.Peek(1); err != nil {
		return site.Answer{}, io.EOF
	}
	res, err := http.ReadResponse(reader, &http.Request{Method: method})
	if err != nil {
		return site.Answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return site.Answer{Status: res.StatusCode, Header: res.Header, Body: body}, err
}

// closedByPeer returns a connection whose other end is closed.
func closedByPeer(t testing.TB) syscall.RawConn {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = ln.Close() }()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", ln.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	other, err := ln.Accept()
	require.NoError(t, err)
	require.NoError(t, other.Close())
	tcp, ok := conn.(*net.TCPConn)
	require.True(t, ok)
	raw, err := tcp.SyscallConn()
	require.NoError(t, err)
	return raw
}
