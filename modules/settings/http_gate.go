package settings

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
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

// refusal is why no sale takes orders; nil if sales do.
func (g *HTTPGate) refusal() *problem.Error {
	switch {
	case g.copied.Stopped():
		return errStopped
	case g.copied.Unknown():
		return errUnknown
	}
	return nil
}

// Sale refuses requests while all sales are stopped, or may be.
func (g *HTTPGate) Sale(c *fiber.Ctx) error {
	if err := g.refusal(); err != nil {
		return err
	}
	return c.Next()
}

// Submit refuses new orders while all sales are stopped, or may be. Repetitions of submits get the answer of the first.
func (g *HTTPGate) Submit(c *fiber.Ctx) error {
	if err := g.refusal(); err != nil {
		web.RefuseNew(c, err)
	}
	return c.Next()
}
