package kit

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// link forwards TCP connections to a server. After a cut, open connections break and new ones are
// refused, as if the server were unavailable.
type link struct {
	addr   string // where clients connect; stays the same
	server string

	mu       sync.Mutex
	listener net.Listener // nil while it is cut
	conns    map[net.Conn]struct{}
	serving  sync.WaitGroup
}

// newLink opens a link to the server at addr, until the test ends.
func newLink(tb testing.TB, server string) *link {
	tb.Helper()
	listener, err := listenFree()
	require.NoError(tb, err, "open a link to %s", server)
	l := &link{addr: listener.Addr().String(), server: server, conns: map[net.Conn]struct{}{}}
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
	server, err := net.Dial("tcp", l.server)
	if err != nil {
		return
	}
	defer l.forget(server)
	if !l.keep(listener, client, server) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { pass(server, client) })
	both.Go(func() { pass(client, server) })
	both.Wait()
}

// pass copies one direction; when either side ends, both are closed.
func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
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
