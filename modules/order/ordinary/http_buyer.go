package ordinary

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/web"
)

// HTTPBuyer has the buyers' route that places ordinary orders.
type HTTPBuyer struct{ placer *Placer }

// NewHTTPBuyer returns the route.
func NewHTTPBuyer(placer *Placer) *HTTPBuyer { return &HTTPBuyer{placer} }

// Register adds the route to the buyers' group, /api/v1.
func (h *HTTPBuyer) Register(r fiber.Router) { r.Post("/orders", h.place) }

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
