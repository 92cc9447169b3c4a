package server

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/valyala/fasthttp"
)

// basePath is the form of a path below which browsers find a program; such a text is safe in pages and scripts.
var basePath = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// maxPublicURL bounds ONRUSH_PUBLIC_URL, which is in every page.
const maxPublicURL = 200

// checkPublicURL refuses an address that no browser could use.
func (c *Config) checkPublicURL() error {
	if c.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(c.publicURL())
	switch {
	case err != nil || strings.Contains(c.PublicURL, "#") || (u.Scheme != "http" && u.Scheme != "https") ||
		u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || len(c.PublicURL) > maxPublicURL:
		return fmt.Errorf("ONRUSH_PUBLIC_URL is %q, but is written as https://shop.example or "+
			"https://shop.example/sales", c.PublicURL)
	case !basePath.MatchString(u.EscapedPath()):
		return fmt.Errorf("ONRUSH_PUBLIC_URL has the path %q, but the parts of a path have letters, digits, -, _, . "+
			"and ~ alone, and begin with no point", u.EscapedPath())
	}
	return nil
}

// basePath is the path of ONRUSH_PUBLIC_URL, such as /sales, below which browsers find the program; empty for none.
func (c *Config) basePath() string {
	u, err := url.Parse(c.publicURL())
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// BasePath returns the path below which browsers find the program; empty for none.
func (s *Server) BasePath() string { return s.cfg.basePath() }

// checkBasePath refuses a path that begins as a route of the program does: which of the two a request means could not
// be told.
func (s *Server) checkBasePath() error {
	first, _, _ := strings.Cut(strings.TrimPrefix(s.cfg.basePath(), "/"), "/")
	if first == "" {
		return nil
	}
	for _, route := range s.App.GetRoutes() {
		if own, _, _ := strings.Cut(strings.TrimPrefix(route.Path, "/"), "/"); own == first {
			return fmt.Errorf("ONRUSH_PUBLIC_URL has a path that begins with /%s, as a route of the program does: "+
				"choose another one", first)
		}
	}
	return nil
}

// serveBelow makes a server serve the paths below base as those without it, so that a proxy in front of the program may
// cut it off, or leave it. A header is changed before anything looks at it.
func serveBelow(base string, server *fasthttp.Server) {
	received := server.HeaderReceived
	server.HeaderReceived = func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		UseOriginForm(h)
		if rest, found := bytes.CutPrefix(h.RequestURI(), []byte(base)); found && base != "" {
			switch {
			case len(rest) == 0, rest[0] == '?':
				h.SetRequestURIBytes(append([]byte{'/'}, rest...))
			case rest[0] == '/':
				h.SetRequestURIBytes(bytes.Clone(rest))
			}
		}
		return received(h)
	}
}

// UseOriginForm makes the target of a request begin with its path, as most targets do: proxies may send
// "GET http://shop.example/sales/ HTTP/1.1", whose host counts instead of the header's.
func UseOriginForm(h *fasthttp.RequestHeader) {
	scheme, rest, found := bytes.Cut(h.RequestURI(), []byte("://"))
	if !found || bytes.IndexByte(scheme, '/') >= 0 {
		return
	}
	host, path := rest, []byte("/")
	if at := bytes.IndexAny(rest, "/?"); at >= 0 {
		host, path = rest[:at], rest[at:]
	}
	if path[0] == '?' {
		path = append([]byte("/"), path...)
	}
	h.SetHostBytes(bytes.Clone(host))
	h.SetRequestURIBytes(bytes.Clone(path))
}
