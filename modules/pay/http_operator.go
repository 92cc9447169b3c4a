package pay

import (
	"regexp"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/web"
	"onrush/web/problem"
)

// HTTPOperator has the operators' routes of payments and refunds.
type HTTPOperator struct{ operations *Operations }

// NewHTTPOperator returns the routes over operations.
func NewHTTPOperator(operations *Operations) *HTTPOperator { return &HTTPOperator{operations} }

// Register adds the routes to the operators' group, /admin/api/v1.
func (h *HTTPOperator) Register(r fiber.Router) {
	r.Get("/payments", h.payments)
	r.Get("/payments.csv", h.paymentsCSV)
	r.Get("/refunds", h.refunds)
	r.Get("/refunds.csv", h.refundsCSV)
	r.Post("/orders/:order_number/refund", web.NoBody, h.refund)
	r.Post("/refunds/retry", h.retryAll)
	r.Post("/refunds/:refund_number/retry", web.NoBody, h.retry)
}

func (h *HTTPOperator) payments(c *fiber.Ctx) error {
	f, err := queryPayments(c, "page", "page_size")
	if err != nil {
		return err
	}
	page, err := web.ParsePage(c)
	if err != nil {
		return err
	}
	list, err := h.operations.Payments(c.UserContext(), f, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// queryPayments reads the filter of a list or a file. names are its other parameters.
func queryPayments(c *fiber.Ctx, names ...string) (f PaymentFilter, err error) {
	if err := web.OnlyQuery(c, append(names, "status", "channel", "user_id", "order_number", "flagged")...); err != nil {
		return f, err
	}
	status, err := web.Query(c, "status", "", string(Pending), string(Paid), string(Refunding), string(Refunded),
		string(Closed))
	if err != nil {
		return f, err
	}
	f.Status = Status(status)
	if f.Channel, err = queryChannel(c); err != nil {
		return f, err
	}
	if f.User, err = web.QueryUser(c, "user_id"); err != nil {
		return f, err
	}
	if f.Order, err = queryNumber(c, "order_number"); err != nil {
		return f, err
	}
	flagged, err := web.Query(c, "flagged", "", "true", "false")
	if err != nil {
		return f, err
	}
	if flagged != "" {
		f.Flagged = new(flagged == "true")
	}
	return f, nil
}

func (h *HTTPOperator) refunds(c *fiber.Ctx) error {
	f, err := queryRefunds(c, "page", "page_size")
	if err != nil {
		return err
	}
	page, err := web.ParsePage(c)
	if err != nil {
		return err
	}
	list, err := h.operations.Refunds(c.UserContext(), f, page)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// queryRefunds reads the filter of a list or a file. names are its other parameters.
func queryRefunds(c *fiber.Ctx, names ...string) (f RefundFilter, err error) {
	if err := web.OnlyQuery(c, append(names, "status", "channel", "pay_number", "order_number", "waits_for")...); err != nil {
		return f, err
	}
	status, err := web.Query(c, "status", "", string(RefundPending), string(RefundDone), string(RefundFailed))
	if err != nil {
		return f, err
	}
	f.Status = RefundStatus(status)
	waits, err := web.Query(c, "waits_for", "", string(WaitsForGateway), string(WaitsForBalance))
	if err != nil {
		return f, err
	}
	f.WaitsFor = WaitsFor(waits)
	if f.Channel, err = queryChannel(c); err != nil {
		return f, err
	}
	if f.Payment, err = queryNumber(c, "pay_number"); err != nil {
		return f, err
	}
	if f.Order, err = queryNumber(c, "order_number"); err != nil {
		return f, err
	}
	return f, nil
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

func (h *HTTPOperator) refund(c *fiber.Ctx) error {
	n, err := order.ParseNumber(web.Param(c, "order_number"))
	if err != nil {
		return problem.NotFound("order")
	}
	refund, err := h.operations.Refund(c.UserContext(), web.Who(c).User, web.ClientIP(c), n)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusAccepted).JSON(refund)
}

func (h *HTTPOperator) retry(c *fiber.Ctx) error {
	n, err := order.ParseNumber(web.Param(c, "refund_number"))
	if err != nil {
		return problem.NotFound("refund")
	}
	refund, err := h.operations.Retry(c.UserContext(), n)
	if err != nil {
		return err
	}
	return c.JSON(refund)
}

func (h *HTTPOperator) retryAll(c *fiber.Ctx) error {
	var req RetryRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	retried, err := h.operations.RetryAll(c.UserContext(), req)
	if err != nil {
		return err
	}
	return c.JSON(retried)
}
