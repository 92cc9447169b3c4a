package web

import (
	"bytes"
	"context"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/modules/api"
)

// AllowLargeBodies lets operators who may write the catalogue send bodies of up to limit bytes to paths that begin with
// prefix. The token is verified before the body is read; for all other callers Config.BodyLimit applies.
func (a *Auth) AllowLargeBodies(app *fiber.App, prefix string, limit int) {
	received := app.Server().HeaderReceived
	app.Server().HeaderReceived = func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		received(h) // it sets no limit
		if !bytes.HasPrefix(h.RequestURI(), []byte(prefix)) {
			return fasthttp.RequestConfig{}
		}
		v, err := a.verify(context.Background(), bearer(h.Peek(fiber.HeaderAuthorization)))
		if err != nil || v.identity.Scope != api.ScopeAdmin && v.identity.Scope != api.ScopeCatalogue {
			return fasthttp.RequestConfig{}
		}
		return fasthttp.RequestConfig{MaxRequestBodySize: limit}
	}
}
