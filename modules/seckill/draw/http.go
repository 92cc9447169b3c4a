package draw

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/web"
)

// HTTPBuyer serves the storefront's routes of draws.
type HTTPBuyer struct{ service *Service }

// NewHTTPBuyer returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPBuyer(service *Service) *HTTPBuyer { return &HTTPBuyer{service: service} }

// enterRequest is the body of a request to enter.
type enterRequest struct {
	SKU string `json:"sku_id" validate:"required,id"`
	seckill.Choice

	HumanCheck string `json:"human_check" validate:"max=4096,line"`
}

// Enter answers POST /api/v1/seckill/draws/{activity_id}/entries.
func (h *HTTPBuyer) Enter(c *fiber.Ctx) error {
	body, activity := enterRequest{Choice: seckill.Choice{Quantity: 1}}, web.Param(c, "activity_id")
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	by := seckill.WisherOf(c, body.HumanCheck)
	view, err := h.service.Enter(c.UserContext(), by, activity, body.SKU, body.Choice)
	if err != nil {
		return problem.About(activity, body.SKU, "draw", err)
	}
	return c.JSON(view)
}

// Mine answers GET /api/v1/seckill/draws/{activity_id}/entries.
func (h *HTTPBuyer) Mine(c *fiber.Ctx) error {
	items, err := h.service.Mine(c.UserContext(), web.Who(c).User, web.Param(c, "activity_id"))
	if err != nil {
		return err
	}
	return c.JSON(map[string]any{"items": items})
}

// Leave answers DELETE /api/v1/seckill/draws/{activity_id}/entries/{entry_id}.
func (h *HTTPBuyer) Leave(c *fiber.Ctx) error {
	err := h.service.Leave(c.UserContext(), web.Who(c).User, web.Param(c, "activity_id"), web.Param(c, "entry_id"))
	if err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// Result answers GET /api/v1/seckill/draws/{activity_id}/result.
func (h *HTTPBuyer) Result(c *fiber.Ctx) error { return show(c, h.service) }

// Lots answers GET /api/v1/seckill/draws/{activity_id}/lots.
func (h *HTTPBuyer) Lots(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "sku_id", "page_size", "after"); err != nil {
		return err
	}
	page, err := web.ParseCursor(c)
	if err != nil {
		return err
	}
	sku, err := web.QueryID(c, "sku_id")
	if err != nil {
		return err
	}
	list, err := h.service.Lots(c.UserContext(), web.Param(c, "activity_id"), sku, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// HTTPOperator serves the operators' route of draws.
type HTTPOperator struct{ service *Service }

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(service *Service) *HTTPOperator { return &HTTPOperator{service: service} }

// Show answers GET /admin/api/v1/activities/{activity_id}/draw. The seed is in it once everybody may know it.
func (h *HTTPOperator) Show(c *fiber.Ctx) error { return show(c, h.service) }

func show(c *fiber.Ctx, service *Service) error {
	is, err := service.Summary(c.UserContext(), web.Param(c, "activity_id"))
	if err != nil {
		return err
	}
	return c.JSON(is)
}
