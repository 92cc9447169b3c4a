package report

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/seckill"
	"onrush/web"
)

// HTTPOperator serves the operators' routes of reports.
type HTTPOperator struct{ service *Service }

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(service *Service) *HTTPOperator { return &HTTPOperator{service} }

// Get answers GET /admin/api/v1/activities/{activity_id}/report.
func (h *HTTPOperator) Get(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c); err != nil {
		return err
	}
	r, err := h.of(c)
	if err != nil {
		return err
	}
	return c.JSON(r)
}

// CSV answers GET /admin/api/v1/activities/{activity_id}/report.csv.
func (h *HTTPOperator) CSV(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "bom"); err != nil {
		return err
	}
	r, err := h.of(c)
	if err != nil {
		return err
	}
	return web.CSV(c, "report.csv", csvHeader, r.rows())
}

func (h *HTTPOperator) of(c *fiber.Ctx) (*Report, error) {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return nil, err
	}
	return h.service.Report(c.UserContext(), id)
}
