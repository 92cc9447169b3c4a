package web

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/cors"
)

// Origins are the origins of pages, besides the program's own, whose scripts may call its routes and read the
// answers. Each is written as browsers send it, such as https://shop.example. Webhooks are not among the routes:
// no browser calls them.
type Origins struct {
	Buyers    []string // the buyers' routes
	Operators []string // the operators' routes
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

// AllowOrigins adds the headers of CORS to the answers of an app; call it before routes are added. It answers
// preflights itself, so that they need no token and cost no store. Without origins it does nothing.
//
// Tokens come in a header that scripts set, never in a cookie, so no credentials are allowed.
func AllowOrigins(app *fiber.App, o Origins) {
	for _, group := range []struct {
		origins, prefixes []string
	}{
		{o.Buyers, []string{"/api/v1/", "/assets/", "/dev/token"}},
		{o.Operators, []string{"/admin/api/v1/"}},
	} {
		if len(group.origins) == 0 {
			continue
		}
		app.Use(cors.New(cors.Config{
			Next: func(c *fiber.Ctx) bool {
				return !slices.ContainsFunc(group.prefixes, func(prefix string) bool {
					return strings.HasPrefix(c.Path(), prefix)
				})
			},
			AllowOrigins: strings.Join(group.origins, ","), AllowHeaders: preflightHeaders,
			ExposeHeaders: exposedHeaders, MaxAge: preflightFor,
		}))
	}
}
