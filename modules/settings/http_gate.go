package settings

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPGate refuses requests by an instance's copy of the settings.
type HTTPGate struct{ copied *Copy }

// NewHTTPGate returns the middleware; app/server/routes.go says which routes it stands before.
func NewHTTPGate(copied *Copy) *HTTPGate { return &HTTPGate{copied} }

// OffAt returns a handler that refuses requests from a level on.
func (g *HTTPGate) OffAt(level Level) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if g.copied.Level() >= level {
			return errDegraded
		}
		return c.Next()
	}
}

// Sale refuses requests while all sales are stopped.
func (g *HTTPGate) Sale(c *fiber.Ctx) error {
	if g.copied.Stopped() {
		return errStopped
	}
	return c.Next()
}

// Submit refuses new orders while all sales are stopped. Repetitions of submits get the answer of the first.
func (g *HTTPGate) Submit(c *fiber.Ctx) error {
	if g.copied.Stopped() {
		web.RefuseNew(c, errStopped)
	}
	return c.Next()
}
