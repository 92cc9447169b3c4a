package myorders

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPCancel is the buyers' route that cancels an order.
type HTTPCancel struct {
	canceller *order.Canceller
	orders    *Service
}

// NewHTTPCancel returns the route.
func NewHTTPCancel(canceller *order.Canceller, orders *Service) *HTTPCancel {
	return &HTTPCancel{canceller: canceller, orders: orders}
}

// Cancel answers POST /api/v1/orders/{order_number}/cancel.
func (h *HTTPCancel) Cancel(c *fiber.Ctx) error {
	n, err := order.ParseNumber(web.Param(c, "order_number"))
	if err != nil {
		return problem.NotFound("order")
	}
	user := web.Who(c).User
	if err := h.canceller.Cancel(c.UserContext(), user, n, web.ClientIP(c)); err != nil {
		return err
	}
	o, err := h.orders.Get(c.UserContext(), user, n)
	if err != nil {
		return err
	}
	return c.JSON(o)
}
