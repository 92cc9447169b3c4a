package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// call tells how far a call over HTTP came that has no answer.
type call struct{ connected atomic.Bool }

// follow returns a context for one call, and a call that tells how far it came.
func follow(ctx context.Context) (context.Context, *call) {
	c := &call{}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				c.connected.Store(true)
			}
		},
		GotConn: func(httptrace.GotConnInfo) { c.connected.Store(true) },
	}), c
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// unanswered says what has become of a call that failed.
func (c *call) unanswered(err error) string {
	if isTimeout(err) && c.connected.Load() {
		return "takes connections, but doesn't answer: " + err.Error()
	}
	return "can't be reached from here: " + err.Error()
}

// advice says what to look at.
func (c *call) advice(err error) string {
	_, isDNS := errors.AsType[*net.DNSError](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case isTimeout(err) && c.connected.Load():
		return "it hangs, or a proxy before it does: ask again, and look at its log or its status page"
	case isDNS:
		return "check the name, and the DNS"
	case isCertificate:
		return "check the certificate: whom it is for, its end, and that the server sends the whole chain"
	case isTimeout(err):
		return "no connection was made: check the firewall, and the proxy for outgoing calls"
	}
	return "start the program, and check the proxy, the DNS and the certificate"
}
