package server

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web"
)

// onlyOwnNames refuses requests whose Host is a name that the program doesn't have. A page of a stranger may give its
// own name the address of this program, and is then of the same origin for browsers: CORS does not stop it.
func onlyOwnNames(publicURL string) fiber.Handler {
	own := ""
	if public, err := url.Parse(publicURL); err == nil {
		own = public.Hostname()
	}
	return func(c *fiber.Ctx) error {
		// A target such as //localhost/dev/token?x=:// has a host of its own, which would hide the header's.
		for _, named := range [][]byte{c.Request().Host(), c.Request().Header.Host()} {
			host := (&url.URL{Host: string(named)}).Hostname()
			if _, err := netip.ParseAddr(host); err != nil && !strings.EqualFold(host, "localhost") &&
				!strings.EqualFold(host, own) {
				return problem.Errorf(web.CodeForbidden, "Use localhost, an IP address, or the host of "+
					"ONRUSH_PUBLIC_URL.")
			}
		}
		return c.Next()
	}
}
