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

// skus swaps a buyer's order for another sku.
type skus interface {
	Change(ctx context.Context, user string, n order.Number, sku, from string) error
}

// HTTPBuyer has the buyers' route that changes an order.
type HTTPBuyer struct {
	addresses *Addresses
	skus      skus
	orders    orders
	mayBuy    []func(c *fiber.Ctx) error
}

// NewHTTPBuyer returns the route. mayBuy are what refuses requests that take units of a sale.
func NewHTTPBuyer(addresses *Addresses, skus skus, orders orders, mayBuy ...func(c *fiber.Ctx) error) *HTTPBuyer {
	return &HTTPBuyer{addresses, skus, orders, mayBuy}
}

// Change answers PATCH /api/v1/orders/{order_number}.
func (h *HTTPBuyer) Change(c *fiber.Ctx) error {
	n, err := order.ParseNumber(web.Param(c, "order_number"))
	if err != nil {
		return problem.NotFound("order")
	}
	var body struct {
		AddressID string `json:"address_id" validate:"required_without=SKU,omitempty,id"`
		SKU       string `json:"sku_id" validate:"excluded_with=AddressID,omitempty,id"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	user, change, to := web.Who(c).User, h.addresses.Change, body.AddressID
	if body.SKU != "" {
		change, to = h.skus.Change, body.SKU
		for _, refuse := range h.mayBuy {
			if err := refuse(c); err != nil {
				return err
			}
		}
	}
	if err := change(c.UserContext(), user, n, to, web.ClientIP(c)); err != nil {
		return err
	}
	view, err := h.orders.Get(c.UserContext(), user, n)
	if err != nil {
		return err
	}
	return c.JSON(view)
}
