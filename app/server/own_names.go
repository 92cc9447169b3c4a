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
		host := (&url.URL{Host: string(c.Request().Host())}).Hostname()
		if _, err := netip.ParseAddr(host); err == nil || strings.EqualFold(host, "localhost") ||
			strings.EqualFold(host, own) {
			return c.Next()
		}
		return problem.Errorf(web.CodeForbidden, "Use localhost, an IP address, or the host of ONRUSH_PUBLIC_URL.")
	}
}
