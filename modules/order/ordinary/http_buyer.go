package ordinary

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/web"
)

// HTTPBuyer has the buyers' routes that quote and place ordinary orders.
type HTTPBuyer struct{ placer *Placer }

// NewHTTPBuyer returns the routes.
func NewHTTPBuyer(placer *Placer) *HTTPBuyer { return &HTTPBuyer{placer} }

// Register adds the routes to the buyers' group, /api/v1.
func (h *HTTPBuyer) Register(r fiber.Router) {
	r.Post("/orders", h.place)
	r.Post("/orders/confirm", h.confirm)
}

func (h *HTTPBuyer) confirm(c *fiber.Ctx) error {
	var body Request
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	quotes, err := h.placer.Confirm(c.UserContext(), web.Who(c).User, body)
	if err != nil {
		return err
	}
	return c.JSON(quotes)
}

// placedOrders answers POST /orders.
type placedOrders struct {
	Orders []order.View `json:"orders"`
}

func (h *HTTPBuyer) place(c *fiber.Ctx) error {
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var body Request
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	orders, err := h.placer.Place(c.UserContext(), web.Who(c).User, key, web.ClientIP(c), body)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(placedOrders{Orders: orders})
}
