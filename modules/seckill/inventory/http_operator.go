package inventory

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/seckill"
	"onrush/web"
)

// HTTPOperator serves the operators' routes of stock changes and audits.
type HTTPOperator struct {
	changer *Changer
	auditor *Auditor
}

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(changer *Changer, auditor *Auditor) *HTTPOperator {
	return &HTTPOperator{changer: changer, auditor: auditor}
}

// changeView is a stock change as operators see it.
type changeView struct {
	ChangeID string      `json:"change_id"`
	SKU      string      `json:"sku_id"`
	Point    string      `json:"point_id"`
	Delta    int64       `json:"delta"`
	Status   ChangeState `json:"status"`
	Replayed bool        `json:"replayed,omitempty"`
}

func viewOf(ch StockChange) changeView {
	return changeView{
		ChangeID: ch.ID, SKU: ch.SKU, Point: ch.Point, Delta: ch.Delta, Status: ch.State, Replayed: ch.Replayed,
	}
}

// pendingView is a pending change as operators see it.
type pendingView struct {
	changeView
	CreatedAt api.Millis    `json:"created_at"`
	Reason    PendingReason `json:"reason"`
}

// PendingChanges answers GET /admin/api/v1/activities/{activity_id}/stock.
func (h *HTTPOperator) PendingChanges(c *fiber.Ctx) error {
	page, err := web.ParseNumberedPage(c)
	if err != nil {
		return err
	}
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	changes, total, err := h.changer.Pending(c.UserContext(), activity, page)
	if err != nil {
		return err
	}
	list := api.List[pendingView]{Page: page.Page, PageSize: page.Size, Total: &total, NextCursor: page.Next(total)}
	for _, ch := range changes {
		list.Items = append(list.Items, pendingView{viewOf(ch.StockChange), api.Millis(ch.CreatedMS), ch.Reason})
	}
	return c.JSON(list)
}

// AbandonChange answers POST /admin/api/v1/activities/{activity_id}/stock/{change_id}/abandon.
func (h *HTTPOperator) AbandonChange(c *fiber.Ctx) error {
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	change, err := h.changer.Abandon(c.UserContext(), activity, web.Param(c, "change_id"))
	if err != nil {
		return err
	}
	return c.JSON(viewOf(change))
}

// Stock answers POST /admin/api/v1/activities/{activity_id}/stock.
func (h *HTTPOperator) Stock(c *fiber.Ctx) error {
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var body struct {
		SKU   string `json:"sku_id" validate:"required,id"`
		Point string `json:"point_id" validate:"required,id"`
		Delta int64  `json:"delta" validate:"required,min=-1000000000,max=1000000000"`

		Version int64 `json:"version" validate:"min=0,max=9007199254740991"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	version, err := web.Version(c, body.Version)
	if err != nil {
		return err
	}
	change, err := h.changer.ChangeKeyed(c.UserContext(), web.Who(c).User, key, StockChange{
		Activity: activity, SKU: body.SKU, Point: body.Point, Delta: body.Delta, Version: version,
	})
	if err != nil {
		return err
	}
	return c.JSON(viewOf(change))
}

// SetStock answers PUT /admin/api/v1/activities/{activity_id}/stock.
func (h *HTTPOperator) SetStock(c *fiber.Ctx) error {
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	var body struct {
		SKU      string `json:"sku_id" validate:"required,id"`
		Point    string `json:"point_id" validate:"required,id"`
		Quantity *int64 `json:"quantity" validate:"required,min=0,max=10000000000"`

		Version int64 `json:"version" validate:"min=0,max=9007199254740991"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	version, err := web.Version(c, body.Version)
	if err != nil {
		return err
	}
	change, err := h.changer.SetStock(c.UserContext(), StockChange{
		Activity: activity, SKU: body.SKU, Point: body.Point, Quantity: body.Quantity, Version: version,
	})
	if err != nil {
		return err
	}
	return c.JSON(viewOf(change))
}

// Audit answers GET /admin/api/v1/activities/{activity_id}/audit.
func (h *HTTPOperator) Audit(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	audit, err := h.auditor.Audit(c.UserContext(), id)
	if err != nil {
		return err
	}
	return c.JSON(audit)
}

// Repair answers POST /admin/api/v1/activities/{activity_id}/audit/repair.
func (h *HTTPOperator) Repair(c *fiber.Ctx) error {
	id, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	audit, err := h.auditor.Repair(c.UserContext(), id)
	if err != nil {
		return err
	}
	return c.JSON(audit)
}
