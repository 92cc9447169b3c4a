package pay

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPBuyer has the buyers' routes of payments.
type HTTPBuyer struct{ service *Service }

// NewHTTPBuyer returns the routes over service.
func NewHTTPBuyer(service *Service) *HTTPBuyer { return &HTTPBuyer{service} }

// Begin answers POST /api/v1/payments.
func (h *HTTPBuyer) Begin(c *fiber.Ctx) error {
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var req Request
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	p, err := h.service.Begin(c.UserContext(), web.Who(c).User, key, req)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(p)
}

// Get answers GET /api/v1/payments/{pay_number}.
func (h *HTTPBuyer) Get(c *fiber.Ctx) error {
	n, err := order.ParseNumber(web.Param(c, "pay_number"))
	if err != nil {
		return problem.NotFound("payment")
	}
	p, err := h.service.Get(c.UserContext(), web.Who(c).User, n)
	if err != nil {
		return err
	}
	return c.JSON(p)
}
