package admin

import (
	"regexp"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/web"
	"onrush/web/api"
	"onrush/web/problem"
)

func (h *HTTPOperator) payments(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size", "before", "status", "channel", "user_id", "order_number",
		"flagged", "created_from", "created_before"); err != nil {
		return err
	}
	var f PaymentFilter
	status, err := web.Query(c, "status", "", string(pay.Pending), string(pay.Paid), string(pay.Refunding),
		string(pay.Refunded), string(pay.Closed))
	if err != nil {
		return err
	}
	f.Status = pay.Status(status)
	if f.Channel, err = queryChannel(c); err != nil {
		return err
	}
	if f.User, err = web.QueryUser(c, "user_id"); err != nil {
		return err
	}
	if f.Order, err = queryNumber(c, "order_number"); err != nil {
		return err
	}
	flagged, err := web.Query(c, "flagged", "", "true", "false")
	if err != nil {
		return err
	}
	if flagged != "" {
		f.Flagged = new(flagged == "true")
	}
	if f.Created, err = queryPeriod(c); err != nil {
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

func (h *HTTPOperator) refunds(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size", "before", "status", "channel", "reason", "pay_number",
		"order_number", "waits_for", "created_from", "created_before"); err != nil {
		return err
	}
	var f RefundFilter
	status, err := web.Query(c, "status", "", string(pay.RefundPending), string(pay.RefundDone),
		string(pay.RefundFailed))
	if err != nil {
		return err
	}
	f.Status = pay.RefundStatus(status)
	waits, err := web.Query(c, "waits_for", "", string(pay.WaitsForGateway), string(pay.WaitsForBalance))
	if err != nil {
		return err
	}
	f.WaitsFor = pay.WaitsFor(waits)
	if f.Reason, err = web.Query(c, "reason", append([]string{""}, pay.RefundReasons...)...); err != nil {
		return err
	}
	if f.Channel, err = queryChannel(c); err != nil {
		return err
	}
	if f.Payment, err = queryNumber(c, "pay_number"); err != nil {
		return err
	}
	if f.Order, err = queryNumber(c, "order_number"); err != nil {
		return err
	}
	if f.Created, err = queryPeriod(c); err != nil {
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

// queryPeriod reads the bounds of the time of creation from the query.
func queryPeriod(c *fiber.Ctx) (p Period, err error) {
	if p.From, err = queryTime(c, "created_from"); err != nil {
		return p, err
	}
	p.Before, err = queryTime(c, "created_before")
	return p, err
}

// queryTime reads a time of RFC 3339 from the query; 0 if it is absent.
func queryTime(c *fiber.Ctx, name string) (api.Millis, error) {
	text, err := web.Query(c, name)
	if err != nil || text == "" {
		return 0, err
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.UnixMilli() < 1 {
		return 0, problem.Invalid(name, "must be a time, such as 2026-01-02T15:04:05Z")
	}
	return api.Millis(at.UnixMilli()), nil
}
