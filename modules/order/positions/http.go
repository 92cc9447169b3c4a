package positions

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// Handle is the middleware of buyers' routes that write orders to SQL. It notes the write before the answer, whatever
// that is: the outcome may be unknown.
func (s *Store) Handle(c *fiber.Ctx) error {
	err := c.Next()
	s.Note(c.UserContext(), web.Who(c).User)
	return err
}
