package admin

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/web"
	"onrush/web/problem"
)

// HTTPOperator has the operators' routes that show payments and refunds.
type HTTPOperator struct{ money *Service }

// NewHTTPOperator returns the routes over money.
func NewHTTPOperator(money *Service) *HTTPOperator { return &HTTPOperator{money} }

// Register adds the routes to the operators' group, /admin/api/v1.
func (h *HTTPOperator) Register(r fiber.Router) {
	r.Get("/payments", h.payments)
	r.Get("/payments.csv", h.paymentsCSV)
	r.Get("/payments/:pay_number", h.payment)
	r.Post("/payments/:pay_number/clear-flag", h.clearFlag)
	r.Get("/refunds", h.refunds)
	r.Get("/refunds.csv", h.refundsCSV)
	r.Get("/refunds/:refund_number", h.refund)
}

// number reads a number from the path; what names the kind of thing that anything else doesn't find.
func number(c *fiber.Ctx, name, what string) (order.Number, error) {
	n, err := order.ParseNumber(web.Param(c, name))
	if err != nil {
		return 0, problem.NotFound(what)
	}
	return n, nil
}

func (h *HTTPOperator) payment(c *fiber.Ctx) error {
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

func (h *HTTPOperator) clearFlag(c *fiber.Ctx) error {
	n, err := number(c, "pay_number", "payment")
	if err != nil {
		return err
	}
	var body struct {
		Reason string `json:"reason" validate:"required,max=200,line"`
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

func (h *HTTPOperator) refund(c *fiber.Ctx) error {
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
