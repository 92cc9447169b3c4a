package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"onrush/modules/pay"
)

// call tells how far a call over HTTP came that has no answer.
type call struct{ connected, answered atomic.Bool }

// follow returns a context for one call, and a call that tells how far it came.
func follow(ctx context.Context) (context.Context, *call) {
	c := &call{}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				c.connected.Store(true)
			}
		},
		GotConn:              func(httptrace.GotConnInfo) { c.connected.Store(true) },
		GotFirstResponseByte: func() { c.answered.Store(true) },
	}), c
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

func isTLS(err error) bool {
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, isPlain := errors.AsType[tls.RecordHeaderError](err)
	_, isAlert := errors.AsType[tls.AlertError](err)
	return isCertificate || isPlain || isAlert || strings.Contains(err.Error(), "HTTP response to HTTPS client")
}

// hangs reports whether a store took a connection and didn't answer in time.
func hangs(err error) bool {
	at, ok := errors.AsType[*net.OpError](err)
	return isTimeout(err) && (!ok || at.Op != "dial")
}

// closes reports whether a store took a connection and closed it without an answer, as a proxy does that has no server.
func closes(err error) bool {
	return errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}

// unanswered adds that a store can't be asked, with advice for the case that it neither hangs nor closes connections:
// then its address and its login are right, as far as can be seen.
func (d *Doctor) unanswered(check string, err error, advice string) {
	text := err.Error()
	switch {
	case hangs(err):
		text = "it takes connections and doesn't answer: " + text
		advice = "it hangs, is overloaded, or its disk is full: look at its machine and its log"
	case closes(err):
		text = "it takes connections and closes them: " + text
		advice = "if a proxy is before it, look whether the proxy has a server that runs and may be written to; " +
			"else look at the server's log"
	}
	d.add(check, Failure, text, advice)
}

// failed says why a call has no answer that can be used, and what to look at.
func (c *call) failed(err error) (detail, advice string) {
	_, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isDNS:
		detail, advice = "its name is unknown here, so it can't be reached",
			"check the name in the address, and the DNS"
	case errors.Is(err, syscall.ECONNREFUSED):
		detail = "can't be reached: its address refuses connections"
		advice = "check host and port of the address, whether the program there runs, and the proxy for outgoing calls"
	case isTLS(err):
		detail = "TLS fails, so it can't be reached"
		advice = "check that the address and its port are of TLS, the certificate's name and end, and that the " +
			"server sends the whole chain"
	case c.answered.Load() && !isTimeout(err):
		detail, advice = "answers, but is in trouble",
			"look at its status page; if it has no trouble, check the address"
	case isTimeout(err) && c.connected.Load():
		detail = "takes connections, but doesn't answer"
		advice = "it hangs, or a proxy before it does: ask again, and look at its log or its status page"
	case isTimeout(err):
		detail = "can't be reached: no connection was made in time"
		advice = "check the address, the firewall, and the proxy for outgoing calls"
	default:
		detail, advice = "can't be reached from here",
			"start the program, and check the proxy, the DNS and the certificate"
	}
	return detail + ": " + err.Error(), advice
}

// post posts a body without a signature to the route that a setting names, and checks the certificate of its server. It
// follows no redirects, as its callers don't. If there is no answer, called says why.
func (d *Doctor) post(ctx context.Context, name, setting, url, body string) (
	res *http.Response, called *call, err error,
) {
	ctx, called = follow(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, called, fmt.Errorf("%s is not an address", setting)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(pay.ProbeHeader, "onrush doctor")
	client := *d.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if res, err = client.Do(req); err == nil && res.TLS != nil {
		d.certificates(name+" certificate", *res.TLS)
	}
	return res, called, err
}
