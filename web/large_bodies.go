package web

import (
	"bytes"
	"context"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/modules/api"
)

// AllowLargeBodies lets operators who may write the catalogue send bodies of up to limit bytes to paths that begin with
// prefix; of several prefixes that fit, the one of the last call counts. The token, or the session, is verified before
// the body is read; for all other callers Config.BodyLimit applies.
func (a *Auth) AllowLargeBodies(app *fiber.App, prefix string, limit int) {
	received := app.Server().HeaderReceived
	app.Server().HeaderReceived = func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		other := received(h)
		if !bytes.HasPrefix(h.RequestURI(), []byte(prefix)) {
			return other
		}
		who, err := a.sender(h)
		if err != nil || who.Scope != api.ScopeAdmin && who.Scope != api.ScopeCatalogue {
			return fasthttp.RequestConfig{}
		}
		return fasthttp.RequestConfig{MaxRequestBodySize: limit}
	}
}

// sender returns who sends a request whose header has been read.
func (a *Auth) sender(h *fasthttp.RequestHeader) (Identity, error) {
	token := h.Peek(fiber.HeaderAuthorization)
	if secret := string(h.Cookie(a.cfg.SessionCookie)); len(token) == 0 && secret != "" && a.cfg.SessionCookie != "" {
		return a.cfg.Keys.Identity(context.Background(), secret)
	}
	v, err := a.verify(context.Background(), bearer(token))
	if err != nil {
		return Identity{}, err
	}
	return v.identity, nil
}
