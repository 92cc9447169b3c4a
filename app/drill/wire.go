package drill

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/app/buyer"
	"onrush/modules/loop"
)

const (
	// maxConnections is how many requests are in progress at an instance at once; others wait, which counts as
	// latency.
	maxConnections = 4096
	// requestWithin bounds one request.
	requestWithin = 30 * time.Second
	maxBody       = 16 << 20 // bytes of an answer
)

// wire sends requests to the instances of a program over HTTP. A client always calls the same instance while that
// answers.
type wire struct{ hosts []*fasthttp.HostClient }

func newWire(urls []string) (*wire, error) {
	w := &wire{}
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
			return nil, fmt.Errorf("%q must be a URL without a path, such as http://127.0.0.1:8080", text)
		}
		addr := u.Host
		if u.Port() == "" {
			addr = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
		}
		w.hosts = append(w.hosts, &fasthttp.HostClient{
			Addr: addr, IsTLS: u.Scheme == "https", Name: "onrush-drill", MaxConns: maxConnections,
			MaxConnWaitTimeout: requestWithin, MaxIdemponentCallAttempts: 1, MaxResponseBodySize: maxBody,
			NoDefaultUserAgentHeader: true, DisableHeaderNamesNormalizing: false,
			// Shorter than an instance keeps an idle connection, so that none is closed as it is used.
			MaxIdleConnDuration: 5 * time.Second,
			Dial:                dial,
		})
	}
	return w, nil
}

func dial(addr string) (net.Conn, error) { return fasthttp.DialDualStackTimeout(addr, 3*time.Second) }

// reach waits a moment until each instance answers.
func (w *wire) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for i, host := range w.hosts {
		only := wire{w.hosts[i : i+1]}
		for {
			var res fasthttp.Response
			err := only.Send(ctx, nil, buyer.NewRequest("", http.MethodGet, "/api/v1/activities", "", nil), &res)
			if err == nil {
				break
			}
			if loop.Wait(ctx, 200*time.Millisecond) != nil {
				return fmt.Errorf("nothing answers at %s: %w", host.Addr, err)
			}
		}
	}
	return nil
}

// Send sends a request to the instance of a client, and to the next one where that one can't be reached.
func (w *wire) Send(ctx context.Context, from net.Addr, req *fasthttp.Request, res *fasthttp.Response) error {
	port := 0
	if at, ok := from.(*net.TCPAddr); ok {
		req.Header.Set(fiber.HeaderXForwardedFor, at.IP.String()) // it counts where this machine is a trusted proxy
		port = at.Port
	}
	deadline := time.Now().Add(requestWithin)
	if end, ok := ctx.Deadline(); ok && end.Before(deadline) {
		deadline = end
	}
	var err error
	for i := range w.hosts {
		host := w.hosts[(port+i)%len(w.hosts)]
		req.URI().SetScheme(map[bool]string{true: "https", false: "http"}[host.IsTLS])
		req.SetHost(host.Addr)
		if err = host.DoDeadline(req, res, deadline); err == nil {
			return nil
		}
		if dial := (*net.OpError)(nil); !errors.As(err, &dial) || dial.Op != "dial" {
			return err // it may have been carried out
		}
	}
	return err
}

// cut sends a request and cuts the connection after a while, before its answer is read.
func (w *wire) cut(from net.Addr, req *fasthttp.Request, after time.Duration) error {
	port := 0
	if at, ok := from.(*net.TCPAddr); ok {
		port = at.Port
	}
	host := w.hosts[port%len(w.hosts)]
	conn, err := dial(host.Addr)
	if err != nil {
		return err
	}
	cut := conn
	defer func() { _ = cut.Close() }() // without the end that TLS has
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // the other side sees a reset
	}
	if host.IsTLS {
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if host.TLSConfig != nil {
			config = host.TLSConfig.Clone()
		}
		config.ServerName, _, _ = net.SplitHostPort(host.Addr)
		conn = tls.Client(conn, config)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(requestWithin))
	if _, err := req.WriteTo(conn); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(after))
	_, _ = conn.Read(make([]byte, 1))
	return nil
}

// stream follows a task until the stream ends; what it says is asked for again by polling.
func (w *wire) stream(ctx context.Context, token, task string) {
	host := w.hosts[0]
	scheme := map[bool]string{true: "https", false: "http"}[host.IsTLS]
	ctx, cancel := context.WithTimeout(ctx, requestWithin)
	defer cancel()
	address := scheme + "://" + host.Addr + "/api/v1/seckill/tasks/" + url.PathEscape(task) + "/events"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return
	}
	req.Header.Set(fiber.HeaderAuthorization, "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxBody))
	_ = res.Body.Close()
}
