package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/panics"
	"onrush/modules/problem"
)

// ErrNoCaller says that the program in which this one runs knows no caller of a request: its token decides.
var ErrNoCaller = errors.New("the request names no caller")

// hostCaller returns the caller whom the program in which this one runs knows; nil if the token decides.
func (a *Auth) hostCaller(c *fiber.Ctx) (*verified, error) {
	header := http.Header{}
	c.Request().Header.VisitAll(func(key, value []byte) { header.Add(string(key), string(value)) })
	who, err := panics.RecoveredValue(func() (Identity, error) { return a.cfg.Host(c.UserContext(), header) })
	switch {
	case errors.Is(err, ErrNoCaller):
		return nil, nil //nolint:nilnil // the token decides
	case err != nil:
		a.reportHost(c.UserContext(), err)
		return nil, problem.Unavailable(err, "Callers can't be checked at the moment.")
	case !problem.IsUser(who.User), strings.HasPrefix(who.User, api.Pseudonym),
		who.Role == RoleAdmin && strings.HasPrefix(who.User, api.KeyActor):
		return nil, problem.Errorf(problem.CodeUnauthorized, "The caller has a user id that no token may have.")
	}
	if err := a.checkOwnPage(c); err != nil {
		return nil, err
	}
	if who.Role == RoleAdmin {
		who.Scope = api.ScopeAdmin
	}
	return &verified{identity: who}, nil
}

// reportHost logs why the program around this one can't tell who calls: each reason once a minute.
func (a *Auth) reportHost(ctx context.Context, err error) {
	if panicked, ok := errors.AsType[*panics.Error](err); ok {
		err = errors.New("it panicked at " + panicked.At)
	}
	a.refused.Report(ctx, "question for the caller", "of", "host", err)
}

// checkOwnPage refuses a request that changes something, if a browser adds by itself what names its caller, and if it
// is not sent by a page of this site: any other page could send it, too.
func (a *Auth) checkOwnPage(c *fiber.Ctx) error {
	method := c.Method()
	if method == fiber.MethodGet || method == fiber.MethodHead || !byBrowser(c) {
		return nil
	}
	switch site, origin := c.Get("Sec-Fetch-Site"), c.Get(fiber.HeaderOrigin); {
	case site == "same-origin", site == "" && origin != "" && origin == a.cfg.HostOrigin:
		return nil
	}
	return problem.Errorf(CodeForbidden, "A request with cookies must come from a page of this site; its browser "+
		"says so in the headers Origin and Sec-Fetch-Site.")
}

// byBrowser reports whether a request has what browsers add by themselves: cookies, or a name and a password.
func byBrowser(c *fiber.Ctx) bool {
	header := &c.Request().Header
	authorization := header.Peek(fiber.HeaderAuthorization)
	return len(header.Peek(fiber.HeaderCookie)) > 0 ||
		len(bytes.TrimSpace(authorization)) > 0 && bearer(authorization) == nil
}
