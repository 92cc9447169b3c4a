package admin

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/web"
	"onrush/web/problem"
)

// HTTPOperator has the operators' route of orders.
type HTTPOperator struct{ orders *Service }

// NewHTTPOperator returns the route.
func NewHTTPOperator(orders *Service) *HTTPOperator { return &HTTPOperator{orders} }

// Register adds the route to the operators' group, /admin/api/v1.
func (h *HTTPOperator) Register(r fiber.Router) { r.Get("/orders", h.list) }

func (h *HTTPOperator) list(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size", "status", "type", "kind", "shop_id", "user_id", "activity_id",
		"order_number", "client_reference"); err != nil {
		return err
	}
	var f Filter
	var number string
	for _, q := range []struct {
		name    string
		into    *string
		allowed []string
	}{
		{"status", (*string)(&f.Status), []string{
			"", string(order.Unpaid), string(order.Paid), string(order.Cancelled), string(order.Refunded),
			string(order.Failed),
		}},
		{"type", (*string)(&f.Type), []string{"", string(order.Seckill), string(order.Ordinary)}},
		{"kind", (*string)(&f.Kind), []string{
			"", string(catalogue.Physical), string(catalogue.Virtual), string(catalogue.Voucher),
		}},
		{"shop_id", &f.Shop, nil},
		{"activity_id", &f.Activity, nil},
		{"order_number", &number, nil},
	} {
		value, err := web.Query(c, q.name, q.allowed...)
		if err != nil {
			return err
		}
		*q.into = value
	}
	var err error
	if f.Number, err = order.ParseNumberFilter(number); err != nil {
		return err
	}
	if f.User, err = web.QueryUser(c, "user_id"); err != nil {
		return err
	}
	if f.ClientReference, err = web.QueryVisible(c, "client_reference", order.MaxClientReference); err != nil {
		return err
	}
	for _, id := range []struct{ name, value string }{{"shop_id", f.Shop}, {"activity_id", f.Activity}} {
		if id.value != "" && !problem.IsID(id.value) {
			return problem.Invalid(id.name, problem.IDRule)
		}
	}
	page, err := web.ParsePage(c)
	if err != nil {
		return err
	}
	list, err := h.orders.List(c.UserContext(), f, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}
