package mypayments

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPBuyer has the buyers' route of the list.
type HTTPBuyer struct{ service *Service }

// NewHTTPBuyer returns the route over service.
func NewHTTPBuyer(service *Service) *HTTPBuyer { return &HTTPBuyer{service} }

// List answers GET /api/v1/payments.
func (h *HTTPBuyer) List(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "order_number"); err != nil {
		return err
	}
	number, err := web.Query(c, "order_number")
	if err != nil {
		return err
	}
	n, err := order.ParseNumber(number)
	if err != nil {
		return problem.Invalid("order_number", "must be an order number")
	}
	views, err := h.service.OfOrder(c.UserContext(), web.Who(c).User, n)
	if err != nil {
		return err
	}
	return c.JSON(map[string]any{"items": views})
}
