package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/limit"
	"onrush/modules/problem"
	"onrush/modules/refusals"
	"onrush/modules/sign"
	"onrush/web"
)

// Sessions are the sessions of operators, which all instances know.
type Sessions interface {
	// SignIn begins a session of an operator at an IP address, and returns its secret.
	SignIn(ctx context.Context, who web.Identity, clientIP string, until time.Time) (secret string, err error)
	// SignOut ends the session of a secret.
	SignOut(ctx context.Context, secret, by string) error
}

// Deps are the dependencies of HTTPLogin.
type Deps struct {
	Config   *Config
	Issuer   *Issuer
	Sessions Sessions
	// Secrets sign the cookies of sign-ins that have begun; instances share them.
	Secrets sign.Secrets
	// Clock is the stores' time, by which sessions expire.
	Clock func() time.Time
	Now   func() time.Time
	Log   *slog.Logger
}

// maxExchanges bounds the codes that are exchanged at once: whoever begins a sign-in may send any code.
const maxExchanges = 16

// callbacks is how many sign-ins a network may end: so nobody keeps all exchanges busy.
var callbacks = limit.Policy{Requests: 30, Period: time.Minute}

// HTTPLogin has the routes by which operators sign in and out.
type HTTPLogin struct {
	Deps
	keys    sign.Keys
	refused *refusals.Log
	running chan struct{}
	ends    *limit.Limiter // by network
}

// NewHTTPLogin returns the routes over d.
func NewHTTPLogin(d Deps) *HTTPLogin {
	return &HTTPLogin{
		Deps: d, keys: sign.NewKeys("operators' sign-in", d.Secrets),
		refused: refusals.NewAt(slog.LevelInfo, d.Now, d.Log), running: make(chan struct{}, maxExchanges),
		ends: limit.NewLimiter("sign-in", callbacks, nil, d.Now, d.Log),
	}
}

// outcome says in the address of the console why nobody was signed in.
type outcome string

const (
	outcomeExpired     outcome = "expired"     // this browser began no sign-in, or too long ago
	outcomeRefused     outcome = "refused"     // the claims allow nothing
	outcomeFailed      outcome = "failed"      // the issuer's answer is not valid, or says that it refused
	outcomeUnavailable outcome = "unavailable" // the issuer or a store
)

// inConsole matches an address in the console, behind its #.
var inConsole = regexp.MustCompile(`^/[A-Za-z0-9._~:/?=&%-]{0,500}$`)

// Begin answers GET /admin/login: it sends the operator to the issuer. to is the address in the console, behind its #,
// to which the operator comes back.
func (h *HTTPLogin) Begin(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	m, err := h.Issuer.metadata(c.UserContext())
	if err != nil {
		return h.back(c, outcomeUnavailable, "/")
	}
	b := begun{
		State: rand.Text(), Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(), To: "/",
		Until: h.Now().Add(beginWithin).Unix(),
	}
	if to := strings.Clone(c.Query("to")); inConsole.MatchString(to) {
		b.To = to
	}
	at, err := m.authorizationURL(h.Config, b, c.Cookies(h.Config.cookie("signed-out")) != "")
	if err != nil {
		return err
	}
	sealed, err := seal(h.keys, b)
	if err != nil {
		return err
	}
	c.Cookie(h.Config.newCookie("login", sealed, fiber.CookieSameSiteLaxMode, beginWithin))
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	return c.Redirect(at, http.StatusSeeOther)
}

// Callback answers GET /admin/login/callback, to which the issuer sends the operator.
func (h *HTTPLogin) Callback(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	b, ok := open(h.keys, c.Cookies(h.Config.cookie("login")), h.Now())
	if !ok || subtle.ConstantTimeCompare([]byte(c.Query("state")), []byte(b.State)) != 1 {
		return h.back(c, outcomeExpired, "/")
	}
	c.Cookie(h.Config.newCookie("login", "", fiber.CookieSameSiteLaxMode, 0)) // a sign-in ends once
	secret, err := h.signIn(c, b)
	if err != nil {
		result := outcomeFailed
		switch {
		case errors.As(err, new(unavailable)), problem.CodeOf(err) == problem.CodeUnavailable:
			result = outcomeUnavailable
		case errors.Is(err, errNoRole), problem.Is(err):
			result = outcomeRefused
		}
		h.refused.Report(c.UserContext(), "sign-in", "outcome", string(result), err)
		return h.back(c, result, b.To)
	}
	c.Cookie(h.Config.newCookie("session", secret, fiber.CookieSameSiteStrictMode, sessionFor))
	c.Cookie(h.Config.newCookie("signed-out", "", fiber.CookieSameSiteLaxMode, 0))
	return h.back(c, "", b.To)
}

// signIn returns the secret of a session for the issuer's answer to a sign-in.
func (h *HTTPLogin) signIn(c *fiber.Ctx, b begun) (secret string, err error) {
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	default:
		return "", unavailable{errors.New("too many sign-ins at once")}
	}
	ctx := c.UserContext()
	from := web.ClientOf(c).Counted
	if from.IsValid() && !h.ends.Take(ctx, limit.NetworkKey(from)).Allowed {
		return "", unavailable{errors.New("too many sign-ins from a network")}
	}
	m, err := h.Issuer.metadata(ctx)
	if err != nil {
		return "", unavailable{err}
	}
	if iss := c.Query("iss"); iss != "" && iss != h.Config.Issuer { // RFC 9207
		return "", errors.New("another issuer answered")
	}
	code := strings.Clone(c.Query("code"))
	if code == "" {
		said := strings.Clone(c.Query("error"))
		if !errorCode.MatchString(said) {
			said = "no code"
		}
		return "", errors.New("the issuer said: " + said)
	}
	idToken, err := h.Issuer.exchange(ctx, m, code, b.Verifier)
	if err != nil {
		return "", err
	}
	who, err := h.Issuer.operator(ctx, m, idToken, b.Nonce)
	if err != nil {
		return "", err
	}
	return h.Sessions.SignIn(ctx, who, web.ClientIP(c), h.Clock().Add(sessionFor))
}

// back sends the browser to the console: to is behind the #, where no address leads to another site.
func (h *HTTPLogin) back(c *fiber.Ctx, why outcome, to string) error {
	at := h.Config.Console.EscapedPath() + "/admin"
	if why != "" {
		at += "?login=" + url.QueryEscape(string(why))
	}
	return c.Redirect(at+"#"+to, http.StatusSeeOther)
}

// Logout answers POST /admin/logout, after Auth.RequireOperator: it ends the session of the caller's cookie. The
// browser is still signed in at the issuer; so the next sign-in asks who it is, since it may be somebody else.
func (h *HTTPLogin) Logout(c *fiber.Ctx) error {
	if !web.Who(c).Session {
		return problem.Errorf(problem.CodeUnauthorized, "The request has no session.")
	}
	secret := strings.Clone(c.Cookies(h.Config.SessionCookie()))
	if err := h.Sessions.SignOut(c.UserContext(), secret, web.Who(c).User); err != nil {
		return err
	}
	c.Cookie(h.Config.newCookie("session", "", fiber.CookieSameSiteStrictMode, 0))
	c.Cookie(h.Config.newCookie("signed-out", "1", fiber.CookieSameSiteLaxMode, signedOutFor))
	return c.SendStatus(http.StatusNoContent)
}
