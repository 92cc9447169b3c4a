package server

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"

	"onrush/modules/problem"
	"onrush/web"
)

// maxOrigins bounds each list of origins, which is searched for each request of a browser.
const maxOrigins = 100

// headerName is the name of a header, as they are in use.
var headerName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checkOrigins refuses texts that no browser sends as an origin, and names that are invalid as names of headers.
func (c *Config) checkOrigins() error {
	if len(c.CORSHeaders) > maxOrigins {
		return fmt.Errorf("ONRUSH_CORS_HEADERS has %d names, but may have %d", len(c.CORSHeaders), maxOrigins)
	}
	for _, name := range c.CORSHeaders {
		if !headerName.MatchString(name) {
			return fmt.Errorf("ONRUSH_CORS_HEADERS has %q: name each header, such as X-Tenant", name)
		}
	}
	for _, setting := range []struct {
		name    string
		origins []string
	}{
		{"ONRUSH_CORS_ORIGINS", c.CORSOrigins},
		{"ONRUSH_CORS_ADMIN_ORIGINS", c.CORSAdminOrigins},
		{"ONRUSH_RETURN_ORIGINS", c.ReturnOrigins},
		{"ONRUSH_IMAGE_HOSTS", c.ImageHosts},
	} {
		if len(setting.origins) > maxOrigins {
			return fmt.Errorf("%s has %d origins, but may have %d", setting.name, len(setting.origins), maxOrigins)
		}
		for _, text := range setting.origins {
			origin, ok := problem.OriginOf(text)
			switch {
			case text == "*":
				return fmt.Errorf("%s is *, which would let every page on the internet in: name each origin, such as "+
					"https://shop.example", setting.name)
			case !ok:
				return fmt.Errorf("%s has %q: an origin is written as https://shop.example", setting.name, text)
			case origin != text:
				return fmt.Errorf("%s has %q, but browsers send %s", setting.name, text, origin)
			}
		}
	}
	return nil
}

// returnOrigins are the origins to whose pages a buyer may return after paying, the program's own among them.
func (c *Config) returnOrigins() []string {
	origins := c.ReturnOrigins
	if len(origins) == 0 {
		origins = c.CORSOrigins
	}
	if !c.Embedded() && !c.Pages {
		return origins
	}
	return append(slices.Clone(origins), c.ownOrigins()...)
}

// pictures allows the pictures that the program's own pages show, or every host where it has no pages.
func (s *Server) pictures() web.Pictures {
	if !s.cfg.Pages {
		return web.Pictures{}
	}
	return web.OnlyPicturesOf(s.cfg.ownOrigins(), s.modules.settings.imageHosts)
}

// ownOrigins are the origins by which browsers on this machine or at PublicURL know the program.
func (c *Config) ownOrigins() []string {
	if c.PublicURL != "" {
		if origin, ok := problem.OriginOf(c.publicURL()); ok {
			return []string{origin}
		}
		return nil
	}
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil
	}
	hosts := []string{host}
	if ip, err := netip.ParseAddr(host); isLoopback(c.Addr) || host == "" || err == nil && ip.IsUnspecified() {
		hosts = []string{"127.0.0.1", "localhost"}
	}
	var origins []string
	for _, host := range hosts {
		if origin, ok := problem.OriginOf("http://" + net.JoinHostPort(host, port)); ok {
			origins = append(origins, origin)
		}
	}
	return origins
}
