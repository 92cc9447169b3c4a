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

// Confirm answers POST /api/v1/orders/confirm.
func (h *HTTPBuyer) Confirm(c *fiber.Ctx) error {
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
	Orders   []order.View `json:"orders"`
	Replayed bool         `json:"replayed,omitempty"`
}

// Place answers POST /api/v1/orders.
func (h *HTTPBuyer) Place(c *fiber.Ctx) error {
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var body Request
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	orders, replayed, err := h.placer.Place(c.UserContext(), web.Who(c).User, key, web.ClientIP(c), body)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(placedOrders{orders, replayed})
}
