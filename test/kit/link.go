package kit

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/app/servers"
)

// Link forwards TCP connections to a server. After a cut, open connections break and new ones are
// refused, as if the server were unavailable.
type Link struct {
	Addr string // where clients connect; stays the same

	delay  atomic.Int64 // of all data, in each direction, in ns
	varies bool         // delay may change, and connections may lose their server

	mu       sync.Mutex
	server   string       // where new connections lead
	listener net.Listener // nil while it is cut
	conns    map[*linked]struct{}
	serving  sync.WaitGroup
}

// linked is one connection over a link.
type linked struct {
	client, server net.Conn
	halfOpen       atomic.Bool // its server has gone, and its client doesn't know
	ended          context.Context
	end            context.CancelFunc
}

func (c *linked) close() {
	c.end()
	_ = c.client.Close()
	_ = c.server.Close()
}

// NewLink opens a link to the server at an address, until the test ends.
func NewLink(tb testing.TB, server string) *Link {
	tb.Helper()
	return openLink(tb, server, &Link{varies: true})
}

// newLink opens a link over which a round trip takes longer by distance.
func newLink(tb testing.TB, server string, distance time.Duration) *Link {
	tb.Helper()
	l := &Link{}
	l.delay.Store(int64(distance / 2))
	return openLink(tb, server, l)
}

func openLink(tb testing.TB, server string, l *Link) *Link {
	tb.Helper()
	listener, err := servers.ListenFree()
	require.NoError(tb, err, "open a link to %s", server)
	l.Addr, l.server, l.conns = listener.Addr().String(), server, map[*linked]struct{}{}
	l.serve(listener)
	tb.Cleanup(l.Cut)
	return l
}

// Join opens the link again after a cut.
func (l *Link) Join(tb testing.TB) {
	tb.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		return
	}
	listener, err := net.Listen("tcp", l.Addr)
	require.NoError(tb, err, "open a link to %s", l.server)
	l.serve(listener)
}

// Lead makes new connections go to another server. Open ones stay where they are.
func (l *Link) Lead(server string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.server = server
}

// Delay makes all data of a link from NewLink arrive later, in each direction.
func (l *Link) Delay(d time.Duration) { l.delay.Store(int64(d)) }

// HalfOpen makes open connections of a link from NewLink half-open: the server has lost them, and clients, whose data
// goes nowhere, don't know. New connections work.
func (l *Link) HalfOpen() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		conn.halfOpen.Store(true)
		_ = conn.server.Close()
	}
}

func (l *Link) serve(listener net.Listener) {
	l.listener = listener
	l.serving.Go(func() { l.accept(listener) })
}

// Cut closes the link and waits until no data is forwarded any more.
func (l *Link) Cut() {
	l.mu.Lock()
	if l.listener != nil {
		_ = l.listener.Close()
		l.listener = nil
	}
	for conn := range l.conns {
		conn.close()
	}
	l.mu.Unlock()
	l.serving.Wait()
}

func (l *Link) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		l.serving.Go(func() { l.carry(listener, client) })
	}
}

func (l *Link) carry(listener net.Listener, client net.Conn) {
	defer func() { _ = client.Close() }()
	l.mu.Lock()
	addr := l.server
	l.mu.Unlock()
	server, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	conn := &linked{client: client, server: server}
	conn.ended, conn.end = context.WithCancel(context.Background())
	defer l.forget(conn)
	if !l.keep(listener, conn) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		l.pass(conn.ended, server, client)
		conn.close()
	})
	both.Go(func() {
		l.pass(conn.ended, client, server)
		if !conn.halfOpen.Load() {
			conn.close()
		}
	})
	both.Wait()
}

// pass copies one direction until either side ends.
func (l *Link) pass(ended context.Context, to, from net.Conn) {
	if l.varies || l.delay.Load() > 0 {
		l.passLater(ended, to, from)
	} else {
		_, _ = io.Copy(to, from)
	}
}

// packet is data that is due at the other end at a time.
type packet struct {
	data []byte
	due  time.Time
}

// passLater copies one direction, everything by the delay later. As much as fits into the queue is on its way.
func (l *Link) passLater(ended context.Context, to io.Writer, from io.Reader) {
	const queue, most = 1024, 64 << 10
	sent := make(chan packet, queue)
	var arriving sync.WaitGroup
	arriving.Go(func() {
		for p := range sent {
			if wait := time.Until(p.due); wait > 0 {
				select {
				case <-time.After(wait):
				case <-ended.Done():
				}
			}
			_, _ = to.Write(p.data) // after an error the reader ends, unless the connection is half-open
		}
	})
	buffer := make([]byte, most)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			break
		}
		sent <- packet{bytes.Clone(buffer[:n]), time.Now().Add(time.Duration(l.delay.Load()))}
	}
	close(sent)
	arriving.Wait()
}

// keep records a connection so that Cut closes it; it returns false if the link was cut before.
func (l *Link) keep(listener net.Listener, conn *linked) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != listener {
		return false
	}
	l.conns[conn] = struct{}{}
	return true
}

func (l *Link) forget(conn *linked) {
	conn.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, conn)
}
