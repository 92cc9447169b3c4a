package pay

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes that refund orders and retry refunds; package admin has the others.
type HTTPOperator struct{ operations *Operations }

// NewHTTPOperator returns the routes over operations.
func NewHTTPOperator(operations *Operations) *HTTPOperator { return &HTTPOperator{operations} }

// number reads a number from the path; what names the kind of thing that anything else doesn't find.
func number(c *fiber.Ctx, name, what string) (order.Number, error) {
	n, err := order.ParseNumber(web.Param(c, name))
	if err != nil {
		return 0, problem.NotFound(what)
	}
	return n, nil
}

func operatorOf(c *fiber.Ctx) Operator {
	return Operator{Name: web.Who(c).User, ClientIP: web.ClientIP(c)}
}

// Refund answers POST /admin/api/v1/orders/{order_number}/refund.
func (h *HTTPOperator) Refund(c *fiber.Ctx) error {
	n, err := number(c, "order_number", "order")
	if err != nil {
		return err
	}
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var req RefundRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	refund, err := h.operations.Refund(c.UserContext(), operatorOf(c), key, n, req)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusAccepted).JSON(refund)
}

// RefundOrders answers POST /admin/api/v1/orders/refund.
func (h *HTTPOperator) RefundOrders(c *fiber.Ctx) error {
	key, err := web.IdempotencyKey(c)
	if err != nil {
		return err
	}
	var req RefundOrdersRequest
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
func (h *HTTPOperator) Retry(c *fiber.Ctx) error {
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

// RetryAll answers POST /admin/api/v1/refunds/retry.
func (h *HTTPOperator) RetryAll(c *fiber.Ctx) error {
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
