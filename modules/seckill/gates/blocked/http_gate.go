package blocked

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// Handle is the middleware. It runs after the middleware that identifies the user and before the rate limits.
func (g *Gate) Handle(c *fiber.Ctx) error {
	if err := g.Refuse(c); err != nil {
		return err
	}
	return c.Next()
}

// Refuse returns why Handle would refuse a request, or nil, and counts it.
func (g *Gate) Refuse(c *fiber.Ctx) error {
	if g.refuses(c) {
		g.refused.Add(1)
		return errBlocked
	}
	return nil
}

// refuses calls no store and, unless a trusted proxy forwarded the request, allocates nothing.
func (g *Gate) refuses(c *fiber.Ctx) bool {
	s := g.current.Load()
	return s.blocksUser(web.Who(c).User, g.nowMS) || s.hasNetworks() && s.blocksAddress(web.ClientAddr(c), g.nowMS)
}
