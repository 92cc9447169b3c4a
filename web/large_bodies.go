package web

import (
	"bytes"
	"context"
	"slices"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/modules/api"
)

// LargeBodies are bodies of up to Limit bytes, to paths with a prefix, of operators with a scope or ScopeAdmin.
type LargeBodies struct {
	Prefix string
	Limit  int
	Scope  api.Scope
}

// AllowLargeBodies lets operators send large bodies: the first of allowed that fits the path counts. The token, or the
// session, is verified before the body is read; for all other callers Config.BodyLimit applies.
func (a *Auth) AllowLargeBodies(app *fiber.App, allowed ...LargeBodies) {
	received := app.Server().HeaderReceived
	app.Server().HeaderReceived = func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		other := received(h)
		fits := func(l LargeBodies) bool { return bytes.HasPrefix(h.RequestURI(), []byte(l.Prefix)) }
		at := slices.IndexFunc(allowed, fits)
		if at < 0 {
			return other
		}
		who, err := a.sender(h)
		if err != nil || who.Scope != api.ScopeAdmin && who.Scope != allowed[at].Scope {
			return fasthttp.RequestConfig{}
		}
		return fasthttp.RequestConfig{MaxRequestBodySize: allowed[at].Limit}
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
