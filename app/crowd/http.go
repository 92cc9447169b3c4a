package crowd

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// The number of buyers of a crowd.
const (
	defaultBuyers = 1000
	maxBuyers     = 5000
)

// Register adds the routes of crowds. They need no token, so they must only exist where POST /dev/token does.
func (c *Crowd) Register(r fiber.Router) {
	r.Post("/dev/crowd", c.start)
	r.Get("/dev/crowd", func(f *fiber.Ctx) error {
		if err := web.OnlyQuery(f); err != nil {
			return err
		}
		return f.JSON(c.State())
	})
}

func (c *Crowd) start(f *fiber.Ctx) error {
	var body struct {
		Activity string `json:"activity_id" validate:"required,id"`
		SKU      string `json:"sku_id" validate:"omitempty,id"`
		Buyers   *int   `json:"buyers" validate:"omitnil,min=1,max=5000"` // maxBuyers
	}
	if err := web.Bind(f, &body); err != nil {
		return err
	}
	buyers := defaultBuyers
	if body.Buyers != nil {
		buyers = *body.Buyers
	}
	state, err := c.Start(f.UserContext(), body.Activity, body.SKU, buyers)
	if err != nil {
		return err
	}
	return f.Status(fiber.StatusAccepted).JSON(state)
}
