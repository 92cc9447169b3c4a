// Package wire is how a drill calls a program: the tokens of its visitors, and requests over HTTP, which may be cut.
package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"onrush/modules/loop"
	"onrush/web/client"
)

const (
	// maxConnections is how many requests are in progress at an instance at once; others wait, which counts as
	// latency.
	maxConnections = 4096
	// requestWithin bounds one request.
	requestWithin = 30 * time.Second
)

// Wire sends requests to the instances of a program over HTTP. A client always calls the same instance while that
// answers.
type Wire struct {
	http  *http.Client
	tls   *tls.Config // of connections that are cut
	bases []*url.URL
}

// New returns a Wire to the instances at URLs without a path.
func New(urls []string) (*Wire, error) {
	w := &Wire{tls: &tls.Config{MinVersion: tls.VersionTLS12}, http: &http.Client{
		CheckRedirect: client.KeepRedirects,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, DisableCompression: true, MaxConnsPerHost: maxConnections,
			MaxIdleConnsPerHost: maxConnections,
			// Shorter than an instance keeps an idle connection, so that none is closed as it is used.
			IdleConnTimeout: 5 * time.Second,
		},
	}}
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
			return nil, fmt.Errorf("%q must be a URL without a path, such as http://127.0.0.1:8080", text)
		}
		w.bases = append(w.bases, &url.URL{Scheme: u.Scheme, Host: u.Host})
	}
	return w, nil
}

var dialer = net.Dialer{Timeout: 3 * time.Second}

// Reach waits a moment until each instance answers.
func (w *Wire) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, base := range w.bases {
		only := Wire{http: w.http, bases: []*url.URL{base}}
		for {
			_, err := only.Send(ctx, nil, client.Request{Method: http.MethodGet, Path: "/api/v1/activities"})
			if err == nil {
				break
			}
			if loop.Wait(ctx, 200*time.Millisecond) != nil {
				return fmt.Errorf("nothing answers at %s: %w", base.Host, err)
			}
		}
	}
	return nil
}

// instances returns the instances in the order in which a client at an address tries them.
func (w *Wire) instances(from net.Addr) []*url.URL {
	at, _ := from.(*net.TCPAddr)
	if at == nil {
		return w.bases
	}
	first := at.Port % len(w.bases)
	return slices.Concat(w.bases[first:], w.bases[:first])
}

// Send sends a request to the instance of a client, and to the next one where that one can't be reached.
func (w *Wire) Send(ctx context.Context, from net.Addr, r client.Request) (a client.Answer, err error) {
	if at, ok := from.(*net.TCPAddr); ok { // it counts where this machine is a trusted proxy
		r.Header = r.Header.Clone()
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set("X-Forwarded-For", at.IP.String())
	}
	ctx, cancel := context.WithTimeout(ctx, requestWithin)
	defer cancel()
	for _, base := range w.instances(from) {
		var req *http.Request
		if req, err = r.To(ctx, base.String()); err != nil {
			return a, err
		}
		a, err = client.Do(w.http, req)
		if dial := (*net.OpError)(nil); !errors.As(err, &dial) || dial.Op != "dial" {
			return a, err // it may have been carried out
		}
	}
	return a, err
}

// Cut sends a request and cuts the connection after a while, before its answer is read.
func (w *Wire) Cut(ctx context.Context, from net.Addr, r client.Request, after time.Duration) error {
	base := w.instances(from)[0]
	req, err := r.To(ctx, base.String())
	if err != nil {
		return err
	}
	port := map[string]string{"http": "80", "https": "443"}[base.Scheme]
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(base.Hostname(), cmp.Or(base.Port(), port)))
	if err != nil {
		return err
	}
	cut := conn
	defer func() { _ = cut.Close() }() // without the end that TLS has
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // the other side sees a reset
	}
	if base.Scheme == "https" {
		config := w.tls.Clone()
		config.ServerName = base.Hostname()
		conn = tls.Client(conn, config)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(requestWithin))
	if err := req.Write(conn); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(after))
	_, _ = conn.Read(make([]byte, 1))
	return nil
}

// Stream follows a task until the stream ends; what it says is asked for again by polling.
func (w *Wire) Stream(ctx context.Context, token, task string) {
	path := "/api/v1/seckill/tasks/" + url.PathEscape(task) + "/events"
	_, _ = w.Send(ctx, nil, client.Request{Method: http.MethodGet, Path: path, Token: token})
}
