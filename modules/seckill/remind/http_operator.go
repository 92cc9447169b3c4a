package remind

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/seckill"
)

// HTTPOperator serves the operators' route of reminders.
type HTTPOperator struct{ service *Service }

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(service *Service) *HTTPOperator { return &HTTPOperator{service} }

// Count answers GET /admin/api/v1/activities/{activity_id}/reminders.
func (h *HTTPOperator) Count(c *fiber.Ctx) error {
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	n, err := h.service.Count(c.UserContext(), activity)
	if err != nil {
		return err
	}
	return c.JSON(n)
}
