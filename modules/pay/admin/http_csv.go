package admin

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// PaymentsCSV answers GET /admin/api/v1/payments.csv.
func (h *HTTPOperator) PaymentsCSV(c *fiber.Ctx) error {
	f, err := queryPayments(c, "bom")
	if err != nil {
		return err
	}
	return web.CSV(c, "payments.csv", paymentHeader, h.money.PaymentsCSV(f))
}

// RefundsCSV answers GET /admin/api/v1/refunds.csv.
func (h *HTTPOperator) RefundsCSV(c *fiber.Ctx) error {
	f, err := h.queryRefunds(c, "bom")
	if err != nil {
		return err
	}
	return web.CSV(c, "refunds.csv", refundHeader, h.money.RefundsCSV(f))
}
