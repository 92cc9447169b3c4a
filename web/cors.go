package web

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/cors"

	"onrush/modules/problem"
)

// Origins are the origins of pages, besides the program's own, whose scripts may call its routes and read the
// answers. Each is written as browsers send it, such as https://shop.example. Webhooks are not among the routes:
// no browser calls them.
type Origins struct {
	Buyers    []string // the buyers' routes
	Operators []string // the operators' routes

	Headers []string // of the platform's own, which scripts may send beside those that routes have
}

const (
	// preflightFor is how long browsers may keep the answer to a preflight, in seconds. Chrome keeps none for longer.
	preflightFor = 7200
	// preflightHeaders are the headers that scripts may send.
	preflightHeaders = "Authorization,Content-Type,Idempotency-Key,If-Match,If-None-Match,Last-Event-ID,X-Request-Id," +
		"traceparent,tracestate,baggage"
	// exposedHeaders are the headers of answers that scripts may read beside those that they always may.
	exposedHeaders = "ETag,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset,Retry-After,X-Request-Id"
)

// group is the origins whose pages may call the routes with some prefixes.
type group struct{ origins, prefixes []string }

func (o Origins) groups() []group {
	return []group{
		{o.Buyers, []string{"/api/v1/", "/assets/", "/dev/token"}},
		{o.Operators, []string{"/admin/api/v1/"}},
	}
}

func (g group) has(path string) bool {
	return slices.ContainsFunc(g.prefixes, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// allowOrigins adds the headers of CORS to the answers of an app; it is called before routes are added. It answers
// preflights itself, so that they need no token and cost no store. Without origins it does nothing.
//
// Tokens come in a header that scripts set, never in a cookie, so no credentials are allowed.
func allowOrigins(app *fiber.App, o Origins) {
	for _, g := range o.groups() {
		if len(g.origins) == 0 {
			continue
		}
		app.Use(cors.New(cors.Config{
			Next:          func(c *fiber.Ctx) bool { return !g.has(c.Path()) },
			AllowOrigins:  strings.Join(g.origins, ","),
			AllowHeaders:  strings.Join(append([]string{preflightHeaders}, o.Headers...), ","),
			ExposeHeaders: exposedHeaders, MaxAge: preflightFor,
		}))
	}
}

// expose lets pages read the refusal of a request that never reached a route. If its headers were too large, nothing is
// known of it, and every page may read the refusal, which says nothing of anybody.
func (o Origins) expose(c *fiber.Ctx, e *problem.Error) {
	for _, g := range o.groups() {
		origin := c.Get(fiber.HeaderOrigin)
		switch {
		case len(g.origins) == 0:
			continue
		case e.Code == CodeHeadersTooLarge:
			origin = "*"
		case !g.has(c.Path()):
			continue
		}
		c.Vary(fiber.HeaderOrigin)
		if origin == "*" || slices.Contains(g.origins, origin) {
			c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
			c.Set(fiber.HeaderAccessControlExposeHeaders, exposedHeaders)
		}
	}
}
