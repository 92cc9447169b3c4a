package instances

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPOperator serves the operators' routes of instances.
type HTTPOperator struct{ reporter *Reporter }

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(reporter *Reporter) *HTTPOperator { return &HTTPOperator{reporter} }

// List answers GET /admin/api/v1/instances.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c); err != nil {
		return err
	}
	instances, err := h.reporter.List(c.UserContext())
	if err != nil {
		return err
	}
	return c.JSON(fiber.Map{"items": instances})
}

// Refusals answers GET /admin/api/v1/refusals.
func (h *HTTPOperator) Refusals(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "minutes"); err != nil {
		return err
	}
	minutes, err := web.QueryInt(c, "minutes", 5, maxMinutes)
	if err != nil {
		return err
	}
	refusals, err := h.reporter.Refusals(c.UserContext(), minutes)
	if err != nil {
		return err
	}
	return c.JSON(refusals)
}
