package web

import (
	"bytes"
	"context"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// AllowLargeBodies lets operators send bodies of up to limit bytes to the paths with a prefix. The
// token is checked before the body is read: for everybody else Config.BodyLimit stands.
func (a *Auth) AllowLargeBodies(app *fiber.App, prefix string, limit int) {
	received := app.Server().HeaderReceived
	app.Server().HeaderReceived = func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		received(h) // it sets no limit
		if !bytes.HasPrefix(h.RequestURI(), []byte(prefix)) {
			return fasthttp.RequestConfig{}
		}
		v, err := a.verify(context.Background(), bearer(h.Peek(fiber.HeaderAuthorization)))
		if err != nil || v.identity.Role != RoleAdmin {
			return fasthttp.RequestConfig{}
		}
		return fasthttp.RequestConfig{MaxRequestBodySize: limit}
	}
}
