package admin

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

func (h *HTTPOperator) paymentsCSV(c *fiber.Ctx) error {
	f, err := queryPayments(c)
	if err != nil {
		return err
	}
	return web.CSV(c, "payments.csv", paymentHeader, h.money.PaymentsCSV(f))
}

func (h *HTTPOperator) refundsCSV(c *fiber.Ctx) error {
	f, err := h.queryRefunds(c)
	if err != nil {
		return err
	}
	return web.CSV(c, "refunds.csv", refundHeader, h.money.RefundsCSV(f))
}
