//go:build unix

package hangup

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// Watch calls gone when the client closes its connection, until stop is called. It takes no bytes from the
// connection: what the client sends is its next request, and ends the watch.
func Watch(conn net.Conn, gone func()) (stop func()) {
	unwatched := func() {}
	sys, ok := conn.(syscall.Conn)
	if !ok {
		return unwatched
	}
	raw, err := sys.SyscallConn()
	if err != nil || conn.SetReadDeadline(time.Time{}) != nil { // no longer the request's
		return unwatched
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		closed := false
		if raw.Read(func(fd uintptr) bool {
			var waiting bool
			closed, waiting = peek(int(fd))
			return !waiting
		}) == nil && closed {
			gone()
		}
	}()
	return func() {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // ends the read; on a closed connection it has ended
		<-ended
		_ = conn.SetReadDeadline(time.Time{})
	}
}

// peek reports whether the client has closed a connection, or there is nothing to read yet.
func peek(fd int) (closed, waiting bool) {
	var next [1]byte
	n, _, err := syscall.Recvfrom(fd, next[:], syscall.MSG_PEEK)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) {
		return false, true
	}
	return err != nil || n == 0, false
}
