package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/idempotency"
	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/problem"
	"onrush/web"
)

// payments reads payments; package pay shows an order's payments as its list does.
type payments interface {
	PaymentsOf(ctx context.Context, n order.Number) (list any, err error)
	finder
}

// finder finds what q is exactly: at most limit hits.
type finder interface {
	Find(ctx context.Context, q string, limit int) ([]api.Hit, error)
}

// HTTPOperator has the operators' routes of orders.
type HTTPOperator struct {
	orders   *Service
	notes    *Notes
	payments payments
	decider  *Decider
	trail    finder
}

// NewHTTPOperator returns the routes. trail finds users by what they were refused.
func NewHTTPOperator(
	orders *Service, notes *Notes, payments payments, decider *Decider, trail finder,
) *HTTPOperator {
	return &HTTPOperator{orders, notes, payments, decider, trail}
}

// maxSearched is the longest text that is searched, in characters: as long as an Idempotency-Key.
const maxSearched = 128

// Search answers GET /admin/api/v1/search.
func (h *HTTPOperator) Search(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "q"); err != nil {
		return err
	}
	q, err := web.QueryLine(c, "q", maxSearched)
	if err != nil {
		return err
	}
	if q = strings.TrimSpace(q); q == "" {
		return problem.Invalid("q", "is required")
	}
	hits := []api.Hit{}
	for _, in := range []finder{h.payments, h.orders, h.trail} {
		found, err := in.Find(c.UserContext(), q, maxHits-len(hits))
		if err != nil {
			return err
		}
		for _, hit := range found {
			if !slices.ContainsFunc(hits, func(has api.Hit) bool { return has.Kind == hit.Kind && has.ID == hit.ID }) {
				hits = append(hits, hit)
			}
		}
	}
	return c.JSON(struct {
		Items []api.Hit `json:"items"`
	}{hits})
}

// List answers GET /admin/api/v1/orders.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	f, err := queryFilter(c, "page", "page_size", "after")
	if err != nil {
		return err
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

// CSV answers GET /admin/api/v1/orders.csv.
func (h *HTTPOperator) CSV(c *fiber.Ctx) error {
	f, err := queryFilter(c, "bom")
	if err != nil {
		return err
	}
	return web.CSV(c, "orders.csv", csvHeader, h.orders.CSV(f))
}

// orderView is one order with what only its own page shows.
type orderView struct {
	View
	Notes    []Note                   `json:"notes"`
	Payments any                      `json:"payments"`
	Former   []complete.FormerAddress `json:"former_addresses,omitempty"`
}

// Get answers GET /admin/api/v1/orders/{order_number}.
func (h *HTTPOperator) Get(c *fiber.Ctx) error {
	n, err := order.ParseNumber(web.Param(c, "order_number"))
	if err != nil {
		return problem.NotFound("order")
	}
	v := orderView{}
	if v.View, err = h.orders.Get(c.UserContext(), n); err != nil {
		return err
	}
	if v.Notes, err = h.notes.Of(c.UserContext(), n); err != nil {
		return err
	}
	if v.Payments, err = h.payments.PaymentsOf(c.UserContext(), n); err != nil {
		return err
	}
	if v.Former, err = h.orders.FormerAddresses(c.UserContext(), n); err != nil {
		return err
	}
	return c.JSON(v)
}

// Cancel answers POST /admin/api/v1/orders/{order_number}/cancel.
func (h *HTTPOperator) Cancel(c *fiber.Ctx) error { return h.decideFor(c, h.decider.Cancel) }

// MarkPaid answers POST /admin/api/v1/orders/{order_number}/mark_paid.
func (h *HTTPOperator) MarkPaid(c *fiber.Ctx) error { return h.decideFor(c, h.decider.MarkPaid) }

// MarkRefunded answers POST /admin/api/v1/orders/{order_number}/mark_refunded.
func (h *HTTPOperator) MarkRefunded(c *fiber.Ctx) error {
	var req OutsideRefund
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	return h.decide(c, func(ctx context.Context, n order.Number, by order.LogLine) error {
		return h.decider.MarkRefunded(ctx, n, by, req)
	})
}

// Restock answers POST /admin/api/v1/orders/{order_number}/restock.
func (h *HTTPOperator) Restock(c *fiber.Ctx) error { return h.decideFor(c, h.decider.Restock) }

// decideFor lets an operator decide about an order for a reason, and answers with the order.
func (h *HTTPOperator) decideFor(
	c *fiber.Ctx, decide func(ctx context.Context, n order.Number, by order.LogLine, reason string) error,
) error {
	var body struct {
		Reason string `json:"reason" validate:"required,max=200,line,said"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	return h.decide(c, func(ctx context.Context, n order.Number, by order.LogLine) error {
		return decide(ctx, n, by, body.Reason)
	})
}

// decide lets an operator decide about an order, which is stored first if only Redis has it, and answers with it.
func (h *HTTPOperator) decide(
	c *fiber.Ctx, decide func(ctx context.Context, n order.Number, by order.LogLine) error,
) error {
	n, err := order.ParseNumber(web.Param(c, "order_number"))
	if err != nil {
		return problem.NotFound("order")
	}
	if idempotency.WasCarriedOut(c.UserContext()) {
		return h.Get(c)
	}
	if err := h.orders.Ensure(c.UserContext(), n); err != nil {
		return err
	}
	by := order.LogLine{Actor: "operator:" + web.Who(c).User, ClientIP: web.ClientIP(c)}
	if err := decide(c.UserContext(), n, by); err != nil {
		return err
	}
	return h.Get(c)
}

// Note answers POST /admin/api/v1/orders/{order_number}/notes.
func (h *HTTPOperator) Note(c *fiber.Ctx) error {
	n, err := order.ParseNumber(web.Param(c, "order_number"))
	if err != nil {
		return problem.NotFound("order")
	}
	var body struct {
		Text string `json:"text" validate:"required,max=1000,text"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	if err := h.orders.Ensure(c.UserContext(), n); err != nil {
		return err
	}
	note, err := h.notes.Add(c.UserContext(), n, web.Who(c).User, body.Text)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(note)
}

// unpacked is the filter for paid orders that nobody has packed.
const unpacked = "unpacked"

// fulfilled makes the filter select by a value of the parameter fulfilment. Only paid orders are to be packed.
func (f *Filter) fulfilled(value string) {
	if f.Unpacked = value == unpacked; !f.Unpacked {
		f.Fulfilment = order.FulfilmentState(value)
	} else if f.Status == "" {
		f.Status = order.Paid
	}
}

// queryFilter reads the filter of a list or a file. names are its other parameters.
func queryFilter(c *fiber.Ctx, names ...string) (f Filter, err error) {
	if err := web.OnlyQuery(c, append(names, "status", "type", "kind", "shop_id", "user_id", "activity_id", "sku_id",
		"order_number", "client_reference", "room_id", "share_code", "share_source", "inviter_id",
		"fulfilment", "from", "to")...); err != nil {
		return f, err
	}
	var number, fulfilled string
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
		{"fulfilment", &fulfilled, []string{
			"", unpacked, string(order.Packed), string(order.Shipped), string(order.Delivered),
		}},
		{"shop_id", &f.Shop, nil},
		{"activity_id", &f.Activity, nil},
		{"sku_id", &f.SKU, nil},
		{"order_number", &number, nil},
	} {
		value, err := web.Query(c, q.name, q.allowed...)
		if err != nil {
			return f, err
		}
		*q.into = value
	}
	f.fulfilled(fulfilled)
	if f.Number, err = order.ParseNumberFilter(number); err != nil {
		return f, err
	}
	if f.User, err = web.QueryUser(c, "user_id"); err != nil {
		return f, err
	}
	if f.ClientReference, err = web.QueryVisible(c, "client_reference", order.MaxClientReference); err != nil {
		return f, err
	}
	for _, q := range []struct {
		name string
		into *string
	}{
		{"room_id", &f.Room},
		{"share_code", &f.ShareCode},
		{"share_source", &f.ShareSource},
		{"inviter_id", &f.Inviter},
	} {
		if *q.into, err = web.QueryLine(c, q.name, order.MaxAttribution); err != nil {
			return f, err
		}
	}
	for _, id := range []struct{ name, value string }{
		{"shop_id", f.Shop}, {"activity_id", f.Activity}, {"sku_id", f.SKU},
	} {
		if id.value != "" && !ids.Valid(id.value) {
			return f, problem.Invalid(id.name, ids.Rule)
		}
	}
	f.From, f.To, err = web.QuerySpan(c)
	return f, err
}
