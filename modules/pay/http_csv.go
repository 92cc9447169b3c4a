package pay

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

func (h *HTTPOperator) paymentsCSV(c *fiber.Ctx) error {
	f, err := queryPayments(c, "from", "to")
	if err != nil {
		return err
	}
	var created span
	if created.from, created.to, err = web.QuerySpan(c); err != nil {
		return err
	}
	return web.CSV(c, "payments.csv", paymentHeader, h.operations.PaymentsCSV(f, created))
}

func (h *HTTPOperator) refundsCSV(c *fiber.Ctx) error {
	f, err := queryRefunds(c, "from", "to")
	if err != nil {
		return err
	}
	var created span
	if created.from, created.to, err = web.QuerySpan(c); err != nil {
		return err
	}
	return web.CSV(c, "refunds.csv", refundHeader, h.operations.RefundsCSV(f, created))
}
