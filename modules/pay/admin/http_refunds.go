package admin

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/pay"
	"onrush/web"
)

// HTTPRefunds has the operators' routes that refund orders and retry refunds.
type HTTPRefunds struct{ operations *pay.Operations }

// NewHTTPRefunds returns the routes over operations.
func NewHTTPRefunds(operations *pay.Operations) *HTTPRefunds { return &HTTPRefunds{operations} }

func operatorOf(c *fiber.Ctx) pay.Operator {
	return pay.Operator{Name: web.Who(c).User, ClientIP: web.ClientIP(c)}
}

// Refund answers POST /admin/api/v1/orders/{order_number}/refund.
func (h *HTTPRefunds) Refund(c *fiber.Ctx) error {
	n, err := number(c, "order_number", "order")
	if err != nil {
		return err
	}
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var req pay.RefundRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	refund, err := h.operations.Refund(c.UserContext(), operatorOf(c), key, n, req)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusAccepted).JSON(refund)
}

// RefundOrders answers POST /admin/api/v1/orders:refund.
func (h *HTTPRefunds) RefundOrders(c *fiber.Ctx) error {
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var req pay.RefundOrdersRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	refunded, err := h.operations.RefundOrders(c.UserContext(), operatorOf(c), key, req)
	if err != nil {
		return err
	}
	return c.JSON(refunded)
}

// Retry answers POST /admin/api/v1/refunds/{refund_number}/retry.
func (h *HTTPRefunds) Retry(c *fiber.Ctx) error {
	n, err := number(c, "refund_number", "refund")
	if err != nil {
		return err
	}
	refund, err := h.operations.Retry(c.UserContext(), n)
	if err != nil {
		return err
	}
	return c.JSON(refund)
}

// RetryAll answers POST /admin/api/v1/refunds:retry.
func (h *HTTPRefunds) RetryAll(c *fiber.Ctx) error {
	var req pay.RetryRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	retried, err := h.operations.RetryAll(c.UserContext(), req)
	if err != nil {
		return err
	}
	return c.JSON(retried)
}
