package admin

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes that show payments and refunds.
type HTTPOperator struct{ money *Service }

// NewHTTPOperator returns the routes over money.
func NewHTTPOperator(money *Service) *HTTPOperator { return &HTTPOperator{money} }

// number reads a number from the path. If the text is no number, the error is not_found and names the kind of thing,
// what.
func number(c *fiber.Ctx, name, what string) (order.Number, error) {
	n, err := order.ParseNumber(web.Param(c, name))
	if err != nil {
		return 0, problem.NotFound(what)
	}
	return n, nil
}

// Payment answers GET /admin/api/v1/payments/{pay_number}.
func (h *HTTPOperator) Payment(c *fiber.Ctx) error {
	n, err := number(c, "pay_number", "payment")
	if err != nil {
		return err
	}
	payment, err := h.money.Payment(c.UserContext(), n)
	if err != nil {
		return err
	}
	return c.JSON(payment)
}

// Revenue answers GET /admin/api/v1/revenue.
func (h *HTTPOperator) Revenue(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "from"); err != nil {
		return err
	}
	from, _, err := web.QuerySpan(c)
	if err != nil {
		return err
	}
	items, err := h.money.Revenue(c.UserContext(), from)
	if err != nil {
		return err
	}
	return c.JSON(map[string]any{"items": items})
}

// ClearFlag answers POST /admin/api/v1/payments/{pay_number}/clear_flag.
func (h *HTTPOperator) ClearFlag(c *fiber.Ctx) error {
	n, err := number(c, "pay_number", "payment")
	if err != nil {
		return err
	}
	var body struct {
		Reason string `json:"reason" validate:"required,max=200,line,said"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	payment, err := h.money.ClearFlag(c.UserContext(), web.Who(c).User, n, body.Reason)
	if err != nil {
		return err
	}
	return c.JSON(payment)
}

// Refund answers GET /admin/api/v1/refunds/{refund_number}.
func (h *HTTPOperator) Refund(c *fiber.Ctx) error {
	n, err := number(c, "refund_number", "refund")
	if err != nil {
		return err
	}
	refund, err := h.money.Refund(c.UserContext(), n)
	if err != nil {
		return err
	}
	return c.JSON(refund)
}
