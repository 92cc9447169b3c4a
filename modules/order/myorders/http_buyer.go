package myorders

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPBuyer has the buyers' routes of orders: the list, and one order.
type HTTPBuyer struct{ orders *Service }

// NewHTTPBuyer returns the routes.
func NewHTTPBuyer(orders *Service) *HTTPBuyer { return &HTTPBuyer{orders} }

// List answers GET /api/v1/orders.
func (h *HTTPBuyer) List(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size", "before", "status", "type", "kind", "shop_id", "name",
		"order_number", "period"); err != nil {
		return err
	}
	page, err := web.ParsePageBefore(c)
	if err != nil {
		return err
	}
	filter, err := queryFilter(c)
	if err != nil {
		return err
	}
	list, err := h.orders.List(c.UserContext(), web.Who(c).User, filter, page)
	if err != nil {
		return err
	}
	data, err := encodeList(list)
	if err != nil {
		return err
	}
	return web.SendJSON(c, data)
}

// queryFilter reads the filters of my orders; a filter that is given but empty is none.
func queryFilter(c *fiber.Ctx) (Filter, error) {
	var f Filter
	var number string
	for _, q := range []struct {
		name string
		into *string
	}{
		{"status", (*string)(&f.Status)},
		{"type", (*string)(&f.Type)},
		{"kind", (*string)(&f.Kind)},
		{"shop_id", &f.Shop},
		{"name", &f.Name},
		{"order_number", &number},
		{"period", (*string)(&f.Period)},
	} {
		value, err := web.Query(c, q.name)
		if err != nil {
			return f, err
		}
		*q.into = value
	}
	var err error
	f.Number, err = order.ParseNumberFilter(number)
	return f, err
}

// GetOrder answers GET /api/v1/orders/{order_number}.
func (h *HTTPBuyer) GetOrder(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c); err != nil {
		return err
	}
	n, err := order.ParseNumber(web.Param(c, "order_number"))
	if err != nil {
		return problem.NotFound("order")
	}
	view, err := h.orders.Get(c.UserContext(), web.Who(c).User, n)
	if err != nil {
		return err
	}
	return c.JSON(view)
}
