//go:build !unix

package hangup

import "net"

// Watch does nothing: the next heartbeat finds that a client has gone.
func Watch(net.Conn, func()) (stop func()) { return func() {} }
