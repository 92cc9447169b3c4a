package waitlist

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/web"
)

// HTTPBuyer serves the storefront's routes of waiting lists.
type HTTPBuyer struct{ service *Service }

// NewHTTPBuyer returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPBuyer(service *Service) *HTTPBuyer { return &HTTPBuyer{service: service} }

// joinRequest is the body of a request to wait.
type joinRequest struct {
	Activity string `json:"activity_id" validate:"required,id"`
	SKU      string `json:"sku_id" validate:"required,id"`
	seckill.Choice

	HumanCheck string `json:"human_check" validate:"max=4096,line"`
}

// Join answers POST /api/v1/seckill/waitlist.
func (h *HTTPBuyer) Join(c *fiber.Ctx) error {
	body := joinRequest{Choice: seckill.Choice{Quantity: 1}}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	by := seckill.WisherOf(c, body.HumanCheck)
	view, err := h.service.Join(c.UserContext(), by, body.Activity, body.SKU, body.Choice)
	if err != nil {
		return problem.About(body.Activity, body.SKU, "waitlist", err)
	}
	return c.JSON(view)
}

// List answers GET /api/v1/seckill/waitlist.
func (h *HTTPBuyer) List(c *fiber.Ctx) error { return seckill.Wishes(c, h.service.Mine) }

// Leave answers DELETE /api/v1/seckill/waitlist/{entry_id}.
func (h *HTTPBuyer) Leave(c *fiber.Ctx) error {
	if err := h.service.Leave(c.UserContext(), web.Who(c).User, web.Param(c, "entry_id")); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
