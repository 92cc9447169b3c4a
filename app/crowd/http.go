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

// HandleState answers with the state of the last crowd.
func (c *Crowd) HandleState(f *fiber.Ctx) error {
	if err := web.OnlyQuery(f); err != nil {
		return err
	}
	return f.JSON(c.State())
}

// HandleStart sends a crowd to a sale. The route needs no token, so it must only exist where POST /dev/token does.
func (c *Crowd) HandleStart(f *fiber.Ctx) error {
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
