package holds

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/web"
)

// HTTPOperator serves the operators' routes of units set aside.
type HTTPOperator struct{ service *Service }

// NewHTTPOperator returns the handlers; app/server/routes.go gives each its URL.
func NewHTTPOperator(service *Service) *HTTPOperator { return &HTTPOperator{service} }

// List answers GET /admin/api/v1/activities/{activity_id}/holds.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	page, err := web.ParseNumberedPage(c)
	if err != nil {
		return err
	}
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	items, total, err := h.service.List(c.UserContext(), activity, page)
	if err != nil {
		return err
	}
	return c.JSON(api.List[View]{
		Items: items, Page: page.Page, PageSize: page.Size, Total: &total, NextCursor: page.Next(total),
	})
}

// Make answers POST /admin/api/v1/activities/{activity_id}/holds.
func (h *HTTPOperator) Make(c *fiber.Ctx) error {
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	var body struct {
		SKU      string     `json:"sku_id" validate:"required,id"`
		Point    string     `json:"point_id" validate:"required,id"`
		Quantity int64      `json:"quantity" validate:"min=1,max=1000000000"`
		User     string     `json:"user_id" validate:"omitempty,user"`
		Note     string     `json:"note" validate:"max=200,line"`
		Until    api.Millis `json:"until"`
	}
	body.Quantity = 1
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	view, err := h.service.Make(c.UserContext(), web.Who(c).User, activity, Wanted{
		SKU: body.SKU, Point: body.Point, Quantity: body.Quantity, User: body.User, Note: body.Note,
		UntilMS: int64(body.Until),
	})
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(view)
}

// Name answers PATCH /admin/api/v1/activities/{activity_id}/holds/{hold_id}.
func (h *HTTPOperator) Name(c *fiber.Ctx) error {
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	var body struct {
		User string `json:"user_id" validate:"required,user"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	view, err := h.service.Name(c.UserContext(), activity, web.Param(c, "hold_id"), body.User)
	if err != nil {
		return err
	}
	return c.JSON(view)
}

// Release answers DELETE /admin/api/v1/activities/{activity_id}/holds/{hold_id}.
func (h *HTTPOperator) Release(c *fiber.Ctx) error {
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	if err := h.service.Release(c.UserContext(), activity, web.Param(c, "hold_id")); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// orderRequest is the body of a request that turns a hold into an order; without a quantity it takes all
// units of the hold.
type orderRequest struct {
	User        string             `json:"user_id" validate:"omitempty,user"`
	Quantity    *int64             `json:"quantity" validate:"omitempty,min=1,max=9999"`
	Delivery    catalogue.Delivery `json:"delivery" validate:"omitempty,oneof=express pickup none"`
	AddressID   string             `json:"address_id" validate:"omitempty,id"`
	PickupPoint string             `json:"pickup_point_id" validate:"omitempty,id"`
	order.ClientTexts
	order.Extras
}

// Order answers POST /admin/api/v1/activities/{activity_id}/holds/{hold_id}/order.
func (h *HTTPOperator) Order(c *fiber.Ctx) error {
	activity, err := seckill.ActivityID(c)
	if err != nil {
		return err
	}
	var body orderRequest
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	submit := seckill.Submit{
		Choice: seckill.Choice{
			Delivery: body.Delivery, AddressID: body.AddressID, PickupPoint: body.PickupPoint,
		},
		ClientTexts: body.ClientTexts, Extras: body.Extras,
	}
	if body.Quantity != nil {
		submit.Quantity = *body.Quantity
	}
	done, err := h.service.Order(c.UserContext(), activity, web.Param(c, "hold_id"), body.User, &submit)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(done)
}
