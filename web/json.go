package web

import "github.com/gofiber/fiber/v2"

// SendJSON answers with JSON that is encoded already. Nobody may change body afterwards.
func SendJSON(c *fiber.Ctx, body []byte) error {
	c.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
	c.Response().SetBodyRaw(body)
	return nil
}
