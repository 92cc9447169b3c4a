package outside

import (
	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the routes by which a shop reports to its orders what its checkout does.
type HTTPOperator struct{ service *Service }

// NewHTTPOperator returns the routes over service.
func NewHTTPOperator(service *Service) *HTTPOperator { return &HTTPOperator{service} }

// number reads the number of an order or a refund in the path.
func number(c *fiber.Ctx, name, kind string) (order.Number, error) {
	n, err := order.ParseNumber(web.Param(c, name))
	if err != nil {
		return 0, problem.NotFound(kind)
	}
	return n, nil
}

// Hold answers POST /admin/api/v1/orders/{order_number}/hold.
func (h *HTTPOperator) Hold(c *fiber.Ctx) error {
	n, err := number(c, "order_number", "order")
	if err != nil {
		return err
	}
	var req HoldRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	hold, err := h.service.Hold(c.UserContext(), n, req)
	if err != nil {
		return err
	}
	return c.JSON(hold)
}

// Paid answers POST /admin/api/v1/orders/{order_number}/paid.
func (h *HTTPOperator) Paid(c *fiber.Ctx) error {
	n, err := number(c, "order_number", "order")
	if err != nil {
		return err
	}
	var req PaidRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	by := order.LogLine{Actor: "operator:" + web.Who(c).User, ClientIP: web.ClientIP(c)}
	paid, err := h.service.Paid(c.UserContext(), n, by, req)
	if err != nil {
		return err
	}
	return c.JSON(paid)
}

// Report answers POST /admin/api/v1/refunds/{refund_number}/report.
func (h *HTTPOperator) Report(c *fiber.Ctx) error {
	n, err := number(c, "refund_number", "refund")
	if err != nil {
		return err
	}
	var req ReportRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	refund, err := h.service.Report(c.UserContext(), n, req)
	if err != nil {
		return err
	}
	return c.JSON(refund)
}
