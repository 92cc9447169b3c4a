package remind

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/web"
)

// HTTPBuyer serves the storefront's routes of reminders.
type HTTPBuyer struct{ service *Service }

// NewHTTPBuyer returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPBuyer(service *Service) *HTTPBuyer { return &HTTPBuyer{service: service} }

// Remind answers POST /api/v1/seckill/reminders.
func (h *HTTPBuyer) Remind(c *fiber.Ctx) error {
	var body Request
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	view, err := h.service.Remind(c.UserContext(), seckill.WisherOf(c, ""), body)
	if err != nil {
		return problem.About(body.Activity, body.SKU, "reminder", err)
	}
	return c.JSON(view)
}

// List answers GET /api/v1/seckill/reminders.
func (h *HTTPBuyer) List(c *fiber.Ctx) error { return seckill.Wishes(c, h.service.Mine) }

// Forget answers DELETE /api/v1/seckill/reminders/{reminder_id}.
func (h *HTTPBuyer) Forget(c *fiber.Ctx) error {
	if err := h.service.Forget(c.UserContext(), web.Who(c).User, web.Param(c, "reminder_id")); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
