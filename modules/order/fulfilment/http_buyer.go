package fulfilment

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// orders shows a buyer's order.
type orders interface {
	Get(ctx context.Context, user string, n order.Number) (order.View, error)
}

// HTTPBuyer has the buyers' route that changes an order.
type HTTPBuyer struct {
	addresses *Addresses
	orders    orders
}

// NewHTTPBuyer returns the route.
func NewHTTPBuyer(addresses *Addresses, orders orders) *HTTPBuyer {
	return &HTTPBuyer{addresses, orders}
}

// Change answers PATCH /api/v1/orders/{order_number}.
func (h *HTTPBuyer) Change(c *fiber.Ctx) error {
	n, err := order.ParseNumber(web.Param(c, "order_number"))
	if err != nil {
		return problem.NotFound("order")
	}
	var body struct {
		AddressID string `json:"address_id" validate:"required,id"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	user := web.Who(c).User
	if err := h.addresses.Change(c.UserContext(), user, n, body.AddressID, web.ClientIP(c)); err != nil {
		return err
	}
	view, err := h.orders.Get(c.UserContext(), user, n)
	if err != nil {
		return err
	}
	return c.JSON(view)
}
