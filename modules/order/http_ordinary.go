package order

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPOrdinary has the buyers' route that places ordinary orders.
type HTTPOrdinary struct{ placer *OrdinaryPlacer }

// NewHTTPOrdinary makes the route.
func NewHTTPOrdinary(placer *OrdinaryPlacer) *HTTPOrdinary { return &HTTPOrdinary{placer} }

// Register adds the route to the buyers' group, /api/v1.
func (h *HTTPOrdinary) Register(r fiber.Router) { r.Post("/orders", h.place) }

// placedOrders answers POST /orders.
type placedOrders struct {
	Orders []View `json:"orders"`
}

func (h *HTTPOrdinary) place(c *fiber.Ctx) error {
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var body OrdinaryRequest
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	orders, err := h.placer.Place(c.UserContext(), web.Who(c).User, key, web.ClientIP(c), body)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(placedOrders{Orders: orders})
}
