package admin

import (
	"regexp"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/web"
)

// Payments answers GET /admin/api/v1/payments.
func (h *HTTPOperator) Payments(c *fiber.Ctx) error {
	f, err := queryPayments(c, "page", "page_size", "after")
	if err != nil {
		return err
	}
	page, err := web.ParsePage(c)
	if err != nil {
		return err
	}
	list, err := h.money.Payments(c.UserContext(), f, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// queryPayments reads the filter of a list or a file; names are its other parameters.
func queryPayments(c *fiber.Ctx, names ...string) (f PaymentFilter, err error) {
	if err := web.OnlyQuery(c, append(names, "status", "channel", "user_id", "order_number", "flagged", "shop_id",
		"from", "to")...); err != nil {
		return f, err
	}
	status, err := web.Query(c, "status", "", string(pay.Pending), string(pay.Paid), string(pay.Refunding),
		string(pay.Refunded), string(pay.Closed))
	if err != nil {
		return f, err
	}
	f.Status = pay.Status(status)
	if f.Channel, err = queryChannel(c); err != nil {
		return f, err
	}
	if f.User, err = web.QueryUser(c, "user_id"); err != nil {
		return f, err
	}
	if f.Order, err = queryNumber(c, "order_number"); err != nil {
		return f, err
	}
	if f.Shop, err = web.QueryID(c, "shop_id"); err != nil {
		return f, err
	}
	flagged, err := web.Query(c, "flagged", "", "true", "false")
	if err != nil {
		return f, err
	}
	if flagged != "" {
		f.Flagged = new(flagged == "true")
	}
	f.Created.From, f.Created.Before, err = web.QuerySpan(c)
	return f, err
}

// Refunds answers GET /admin/api/v1/refunds.
func (h *HTTPOperator) Refunds(c *fiber.Ctx) error {
	f, err := h.queryRefunds(c, "page", "page_size", "after")
	if err != nil {
		return err
	}
	page, err := web.ParsePage(c)
	if err != nil {
		return err
	}
	list, err := h.money.Refunds(c.UserContext(), f, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// queryRefunds reads the filter of a list or a file; names are its other parameters.
func (h *HTTPOperator) queryRefunds(c *fiber.Ctx, names ...string) (f RefundFilter, err error) {
	if err := web.OnlyQuery(c, append(names, "status", "channel", "reason", "pay_number", "order_number", "waits_for",
		"needs_person", "shop_id", "from", "to")...); err != nil {
		return f, err
	}
	status, err := web.Query(c, "status", "", string(pay.RefundPending), string(pay.RefundDone),
		string(pay.RefundFailed))
	if err != nil {
		return f, err
	}
	f.Status = pay.RefundStatus(status)
	waits, err := web.Query(c, "waits_for", "", string(pay.WaitsForGateway), string(pay.WaitsForBalance),
		string(pay.WaitsForDispute))
	if err != nil {
		return f, err
	}
	f.WaitsFor = pay.WaitsFor(waits)
	if f.Shop, err = web.QueryID(c, "shop_id"); err != nil {
		return f, err
	}
	needs, err := web.Query(c, "needs_person", "", "true")
	if err != nil {
		return f, err
	}
	if needs != "" {
		f.NeedsPerson = h.money.now().Add(-longWait)
	}
	if f.Reason, err = web.Query(c, "reason", append([]string{""}, pay.RefundReasons...)...); err != nil {
		return f, err
	}
	if f.Channel, err = queryChannel(c); err != nil {
		return f, err
	}
	if f.Payment, err = queryNumber(c, "pay_number"); err != nil {
		return f, err
	}
	if f.Order, err = queryNumber(c, "order_number"); err != nil {
		return f, err
	}
	f.Created.From, f.Created.Before, err = web.QuerySpan(c)
	return f, err
}

// channelName matches the names of channels.
var channelName = regexp.MustCompile(`^[a-z]{1,16}$`)

// queryChannel reads a channel from the query; "" if it is absent.
func queryChannel(c *fiber.Ctx) (string, error) {
	channel, err := web.Query(c, "channel")
	if err != nil || channel == "" {
		return "", err
	}
	if !channelName.MatchString(channel) {
		return "", problem.Invalid("channel", "must be the name of a channel")
	}
	return channel, nil
}

// queryNumber reads an order, pay or refund number from the query; 0 if it is absent.
func queryNumber(c *fiber.Ctx, name string) (order.Number, error) {
	text, err := web.Query(c, name)
	if err != nil || text == "" {
		return 0, err
	}
	n, err := order.ParseNumber(text)
	if err != nil {
		return 0, problem.Invalid(name, "must be a number")
	}
	return n, nil
}
