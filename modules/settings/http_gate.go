package settings

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web"
)

// HTTPGate refuses requests by the settings as an instance knows them.
type HTTPGate struct{ store *Store }

// NewHTTPGate returns the middleware; app/server/routes.go says which routes it stands before.
func NewHTTPGate(store *Store) *HTTPGate { return &HTTPGate{store} }

// OffAt returns a handler that refuses requests from a level on.
func (g *HTTPGate) OffAt(level Level) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if g.store.Level() >= level {
			return errDegraded
		}
		return c.Next()
	}
}

// refusal is why no sale takes orders; nil if sales do.
func (g *HTTPGate) refusal() *problem.Error {
	switch {
	case g.store.Stopped():
		return errStopped
	case g.store.Unknown():
		return errUnknown
	}
	return nil
}

// Sale refuses requests while all sales are stopped, or while nobody can tell whether they are.
func (g *HTTPGate) Sale(c *fiber.Ctx) error {
	if err := g.Refuse(c); err != nil {
		return err
	}
	return c.Next()
}

// Refuse returns why Sale would refuse a request, or nil.
func (g *HTTPGate) Refuse(*fiber.Ctx) error {
	if err := g.refusal(); err != nil {
		return err
	}
	return nil
}

// Submit refuses new orders while all sales are stopped, or while nobody can tell whether they are. Repetitions of
// submits get the answer of the first.
func (g *HTTPGate) Submit(c *fiber.Ctx) error {
	if err := g.refusal(); err != nil {
		web.RefuseNew(c, err)
	}
	return c.Next()
}
