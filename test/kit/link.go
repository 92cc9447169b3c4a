package kit

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/app/servers"
)

// link forwards TCP connections to a server. After a cut, open connections break and new ones are
// refused, as if the server were unavailable.
type link struct {
	addr  string        // where clients connect; stays the same
	delay time.Duration // of all data, in each direction

	mu       sync.Mutex
	server   string       // where new connections lead
	listener net.Listener // nil while it is cut
	conns    map[net.Conn]struct{}
	serving  sync.WaitGroup
}

// newLink opens a link to the server at addr, until the test ends. A round trip over it takes longer by distance.
func newLink(tb testing.TB, server string, distance time.Duration) *link {
	tb.Helper()
	listener, err := servers.ListenFree()
	require.NoError(tb, err, "open a link to %s", server)
	l := &link{addr: listener.Addr().String(), server: server, delay: distance / 2, conns: map[net.Conn]struct{}{}}
	l.serve(listener)
	tb.Cleanup(l.cut)
	return l
}

// join opens the link, also after a cut.
func (l *link) join(tb testing.TB) {
	tb.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		return
	}
	listener, err := net.Listen("tcp", l.addr)
	require.NoError(tb, err, "open a link to %s", l.server)
	l.serve(listener)
}

// lead makes new connections go to another server. Open ones stay where they are.
func (l *link) lead(server string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.server = server
}

func (l *link) serve(listener net.Listener) {
	l.listener = listener
	l.serving.Go(func() { l.accept(listener) })
}

// cut closes the link and waits until no data is forwarded any more.
func (l *link) cut() {
	l.mu.Lock()
	if l.listener != nil {
		_ = l.listener.Close()
		l.listener = nil
	}
	for conn := range l.conns {
		_ = conn.Close()
	}
	l.mu.Unlock()
	l.serving.Wait()
}

func (l *link) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		l.serving.Go(func() { l.carry(listener, client) })
	}
}

func (l *link) carry(listener net.Listener, client net.Conn) {
	defer l.forget(client)
	l.mu.Lock()
	addr := l.server
	l.mu.Unlock()
	server, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer l.forget(server)
	if !l.keep(listener, client, server) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { pass(server, client, l.delay) })
	both.Go(func() { pass(client, server, l.delay) })
	both.Wait()
}

// pass copies one direction; when either side ends, both are closed.
func pass(to, from net.Conn, delay time.Duration) {
	if delay == 0 {
		_, _ = io.Copy(to, from)
	} else {
		passLater(to, from, delay)
	}
	_ = to.Close()
	_ = from.Close()
}

// packet is data that is due at the other end at a time.
type packet struct {
	data []byte
	due  time.Time
}

// passLater copies one direction, everything by the delay later. As much as fits into the queue is on its way.
func passLater(to io.Writer, from io.Reader, delay time.Duration) {
	const queue, most = 1024, 64 << 10
	sent := make(chan packet, queue)
	var arriving sync.WaitGroup
	arriving.Go(func() {
		for p := range sent {
			<-time.After(time.Until(p.due))
			_, _ = to.Write(p.data) // after an error the reader ends
		}
	})
	buffer := make([]byte, most)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			break
		}
		sent <- packet{bytes.Clone(buffer[:n]), time.Now().Add(delay)}
	}
	close(sent)
	arriving.Wait()
}

// keep records connections so that cut closes them; it returns false if the link was cut before.
func (l *link) keep(listener net.Listener, conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != listener {
		return false
	}
	for _, conn := range conns {
		l.conns[conn] = struct{}{}
	}
	return true
}

func (l *link) forget(conn net.Conn) {
	_ = conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, conn)
}
