package onrush

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"onrush/app/server"
)

// Mount serves the platform's routes below a prefix of a Fiber app or group, such as "/sales", which has no parameters.
// The app's handlers before it run before it; they must not read the body as a stream, or change the path.
func (p *Platform) Mount(r fiber.Router, prefix string) {
	var once sync.Once
	r.Use(strings.TrimRight(prefix, "/"), func(c *fiber.Ctx) error {
		once.Do(func() { p.warnOfPath(c.Route().Path) })
		request := c.Context()
		server.UseOriginForm(&request.Request.Header)
		whole := bytes.Clone(request.Request.Header.RequestURI())
		rest, ok := below(whole, c.Route().Path)
		if !ok {
			return c.Next()
		}
		request.Request.SetRequestURIBytes(rest)
		carry(c.UserContext(), request.Request.Header.Set)
		p.server.Handle(request)
		request.Request.SetRequestURIBytes(whole) // for handlers that have called this one, such as a log
		return nil
	})
}

// warnOfPath logs that the pages and webhooks are below another path than the platform is mounted at. A proxy may make
// one of the other.
func (p *Platform) warnOfPath(path string) {
	if path, base := strings.TrimRight(path, "/"), p.server.BasePath(); !strings.EqualFold(path, base) {
		p.log.Warn("the path of BaseURL is not the one of Mount, so the pages and the webhooks are below another path",
			"mounted", path, "base", base)
	}
}

// carry sets the headers that continue the trace of a context, if it has one.
func carry(ctx context.Context, set func(key, value string)) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	for key, value := range carrier {
		set(key, value)
	}
}

// below returns the rest of a URI below a prefix, which begins with a slash.
func below(uri []byte, prefix string) (rest []byte, ok bool) {
	prefix = strings.TrimRight(prefix, "/")
	if len(uri) < len(prefix) || !strings.EqualFold(string(uri[:len(prefix)]), prefix) {
		return nil, false
	}
	switch rest = uri[len(prefix):]; {
	case len(rest) == 0, rest[0] == '?':
		return append([]byte{'/'}, rest...), true
	case rest[0] != '/':
		return nil, false
	}
	return rest, true
}

// ServeHTTP serves the platform's routes in a program of net/http; http.StripPrefix cuts a prefix off. Each request
// goes through a connection in memory, which costs a few hundred microseconds: a crowd should reach the platform
// through Fiber, or at a listener of its own (the command serve).
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, peerOf(r.RemoteAddr))))
}

// peerKey is the key of a request's peer, which is the address of the connection in memory.
type peerKey struct{}

// peerOf returns the address of a peer as net/http writes it; an address of nobody if it can't be read.
func peerOf(text string) net.Addr {
	peer, _ := netip.ParseAddrPort(text)
	return net.TCPAddrFromAddrPort(peer)
}

// newProxy returns what carries requests of net/http to a handler of fasthttp, each on a connection of its own. Bodies
// of answers are passed on as they come.
func newProxy(handler fasthttp.RequestHandler, maxBody int, log *slog.Logger) *httputil.ReverseProxy {
	own := &fasthttp.Server{
		Handler: handler, MaxRequestBodySize: maxBody, NoDefaultServerHeader: true, NoDefaultDate: true,
		NoDefaultContentType: true, DisablePreParseMultipartForm: true,
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", "onrush", r.In.Host
			if forwarded, ok := r.In.Header["X-Forwarded-For"]; ok { // of the proxies in front of the program
				r.Out.Header["X-Forwarded-For"] = forwarded
			}
			carry(r.In.Context(), r.Out.Header.Set)
		},
		FlushInterval: -1, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelInfo),
		Transport: &http.Transport{
			DisableKeepAlives: true, DisableCompression: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				peer, _ := ctx.Value(peerKey{}).(net.Addr)
				go func() { _ = own.ServeConn(fromPeer{theirs, peer}) }()
				return ours, nil
			},
		},
	}
}

// fromPeer is a connection in memory on behalf of a peer.
type fromPeer struct {
	net.Conn

	peer net.Addr
}

// RemoteAddr returns the peer's address.
func (c fromPeer) RemoteAddr() net.Addr { return c.peer }
