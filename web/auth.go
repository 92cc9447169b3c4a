package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/golang-jwt/jwt/v5"
	"github.com/valyala/fasthttp"
	"golang.org/x/sync/singleflight"

	"onrush/modules/api"
	"onrush/modules/bounded"
	"onrush/modules/problem"
	"onrush/modules/refusals"
	"onrush/modules/segments"
	"onrush/modules/sign"
	"onrush/web/jwks"
)

// Role is what a caller may do.
type Role string

// The roles. An operator may do what a buyer may, in their own name.
const (
	RoleUser  Role = "user"
	RoleAdmin Role = "admin"
)

// Identity is the caller. User is a valid user id (problem.IsUser).
type Identity struct {
	User string
	Role Role // "" for a key
	// Scope is what an operator may do; "" for buyers.
	Scope api.Scope
	// Shop is the only shop that an operator sees; "" for all.
	Shop string
	// KeyExpires is when the key of an operator expires; 0 for never, and for tokens.
	KeyExpires api.Millis
	// Session is whether the key belongs to a sign-in; only a cookie may carry such a key.
	Session  bool
	Segments segments.Set // of a buyer
	// Claims are what a token would say of a caller whom the program around this one knows.
	Claims map[string][]string
}

// Keys knows the keys with which operators' routes may be called instead of a token. Each begins with api.KeyPrefix.
type Keys interface {
	// Identity returns the caller of a key. If the key is not valid, the error is unauthorized; if that can't be
	// decided now, unavailable.
	Identity(ctx context.Context, key string) (Identity, error)
}

// AuthConfig configures which callers are known. At least one of Secret, JWKS and Host must be set.
type AuthConfig struct {
	// Secret is the key of HS256 tokens, at least 32 bytes. Of several, separated by semicolons, the first signs and
	// all are accepted. Default none: no HS256.
	Secret string
	// JWKS is where the public keys of RS256, ES256 and EdDSA tokens are: the path of a file, or a URL, which is https,
	// or http on loopback. Default none.
	JWKS string
	// Issuer is the iss that tokens must have. Default none: any.
	Issuer string
	// Audience must be in the tokens' aud. Default none: any.
	Audience string
	// RoleClaim is the claim that has the role: the name of a member, or a path of names separated
	// by dots, such as realm_access.roles. It is a string or a list of strings: admin if it has "admin",
	// else user if it has "user", else the token has no role. Default role.
	RoleClaim string
	// MaxToken is the longest token in bytes. Default 8 KiB.
	MaxToken int
	// Keys are the operators' keys. Default none.
	Keys Keys
	// SessionCookie is the cookie with the key of an operator who has signed in. Default none.
	SessionCookie string
	// Host tells who makes a request with these headers, or ErrNoCaller. Default none: tokens alone decide.
	Host func(ctx context.Context, header http.Header) (Identity, error)
	// HostOrigin is the origin of the pages whose requests with cookies are accepted.
	HostOrigin string
}

// leeway is by how much the clocks of signer and server may differ.
const leeway = time.Minute

// maxTokens bounds the verified tokens that are cached, about 250 bytes each. At least half as many, about, are
// always cached: the tokens that were used last.
const maxTokens = 200_000

func (c AuthConfig) withDefaults() AuthConfig {
	c.RoleClaim = cmp.Or(c.RoleClaim, "role")
	c.MaxToken = cmp.Or(c.MaxToken, 8<<10)
	return c
}

func (c AuthConfig) check() error {
	switch {
	case c.Secret == "" && c.JWKS == "" && c.Host == nil:
		return errors.New("auth config: neither a secret nor a set of keys is given")
	case c.MaxToken < 1:
		return errors.New("auth config: tokens and longest token must not be below 0")
	}
	return sign.ParseSecrets(c.Secret).Check("auth config: ONRUSH_JWT_SECRET")
}

// tokenDigest identifies a verified token. It has a fixed size, and the token can't be recovered from it.
type tokenDigest [sha256.Size]byte

// verified has the claims of a valid token, until it expires or the keys change.
type verified struct {
	identity Identity
	until    time.Time
	keys     *jwks.Keys // that were known when it was verified
}

// Auth verifies tokens and caches valid ones.
type Auth struct {
	cfg     AuthConfig
	log     *slog.Logger
	now     func() time.Time
	parser  *jwt.Parser
	secrets sign.Secrets // of HS256 tokens
	keys    *jwks.Set    // nil without JWKS
	tokens  *bounded.Map[tokenDigest, *verified]
	header  atomic.Pointer[string] // of tokens, the last one that was checked
	refused *refusals.Log
	reading singleflight.Group // by keys and token
}

// NewAuth checks the configuration and reads the keys. A file that can't be read is an error; a
// URL that is unavailable is logged, since it may be available when its keys are needed.
func NewAuth(ctx context.Context, cfg AuthConfig, log *slog.Logger, now func() time.Time) (*Auth, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	a := &Auth{
		cfg: cfg, log: log, now: now, secrets: sign.ParseSecrets(cfg.Secret),
		tokens:  bounded.New[tokenDigest, *verified](maxTokens),
		refused: refusals.NewAt(slog.LevelInfo, now, log),
	}
	algorithms := []string{} // with nil, the library would accept all
	if cfg.Secret != "" {
		algorithms = append(algorithms, jwt.SigningMethodHS256.Alg())
	}
	if cfg.JWKS != "" {
		algorithms = append(algorithms, jwks.Algorithms...)
		var err error
		if a.keys, err = jwks.Open(ctx, cfg.JWKS, log, now); err != nil {
			return nil, err
		}
	}
	options := []jwt.ParserOption{
		jwt.WithValidMethods(algorithms), jwt.WithTimeFunc(now), jwt.WithLeeway(leeway),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithStrictDecoding(),
	}
	if cfg.Issuer != "" {
		options = append(options, jwt.WithIssuer(cfg.Issuer))
	}
	if cfg.Audience != "" {
		options = append(options, jwt.WithAudience(cfg.Audience))
	}
	a.parser = jwt.NewParser(options...)
	return a, nil
}

// Run reads the keys again every five minutes until ctx ends. Without JWKS it returns at once.
func (a *Auth) Run(ctx context.Context) {
	if a.keys != nil {
		a.keys.Run(ctx)
	}
}

// ReloadKeys reads the keys of tokens now. Without JWKS it does nothing; an error is logged.
func (a *Auth) ReloadKeys(ctx context.Context) error {
	if a.keys == nil {
		return nil
	}
	return a.keys.Refresh(ctx, 0)
}

// CheckKeys returns an error if no token can be verified because no key was read yet. It reads the keys again, at most
// every 30 seconds.
func (a *Auth) CheckKeys(ctx context.Context) error {
	if a.cfg.Secret != "" || a.keys == nil || a.keys.Current() != nil {
		return nil
	}
	return a.keys.Refresh(ctx, jwks.OnDemand)
}

// KeysAge returns how old the keys of the tokens are; 0 if there are none.
func (a *Auth) KeysAge() time.Duration {
	return a.keys.Age()
}

// identityKey is the key of a request's caller in its locals.
type identityKey struct{}

// Who returns the caller that Require accepted.
func Who(c *fiber.Ctx) Identity {
	if v, ok := c.Locals(identityKey{}).(*verified); ok {
		return v.identity
	}
	return Identity{}
}

// stranger stands for a caller without a token.
var stranger = &verified{}

// isStranger reports whether RequireUnless accepted the caller without a token.
func isStranger(c *fiber.Ctx) bool { return c.Locals(identityKey{}) == stranger }

// RequireUnless is Require, except that requests without a token for which public returns true are accepted; Who
// returns the zero Identity for them. A request with an invalid token is refused on these routes too, so that its
// caller learns of it.
func (a *Auth) RequireUnless(public func(c *fiber.Ctx) bool, role Role) fiber.Handler {
	required := a.Require(role)
	return func(c *fiber.Ctx) error {
		if len(c.Request().Header.Peek(fiber.HeaderAuthorization)) > 0 || !public(c) {
			return required(c)
		}
		c.Locals(identityKey{}, stranger)
		return c.Next()
	}
}

// Require accepts callers with a valid token of that role; it accepts operators for RoleUser as well.
// Without a valid token the error is unauthorized, with the wrong role or a key forbidden.
func (a *Auth) Require(role Role) fiber.Handler {
	return a.require(func(who Identity) error {
		switch {
		case who.Role == RoleAdmin, who.Role == RoleUser && role == RoleUser:
			return nil
		case who.Role == "" && who.Scope != "":
			return problem.Errorf(CodeForbidden, "A key is only for operators' routes; this one needs a token.")
		}
		return problem.Errorf(CodeForbidden, "This token's role may not do that.")
	})
}

// RequireOperator accepts tokens with the role admin, keys of any scope, and the sessions of operators who have signed
// in; package operators decides for each route.
func (a *Auth) RequireOperator() fiber.Handler {
	byHeader := a.require(func(who Identity) error {
		if who.Scope == "" {
			return problem.Errorf(CodeForbidden, "This token's role may not do that.")
		}
		return nil
	})
	return func(c *fiber.Ctx) error {
		if a.cfg.SessionCookie == "" || len(c.Request().Header.Peek(fiber.HeaderAuthorization)) > 0 ||
			c.Cookies(a.cfg.SessionCookie) == "" {
			return byHeader(c)
		}
		v, err := a.session(c)
		if err != nil {
			return problem.RefusedBy(gateToken, err)
		}
		c.Locals(identityKey{}, v)
		return c.Next()
	}
}

// session returns the operator of the session that a request has in its cookie.
func (a *Auth) session(c *fiber.Ctx) (*verified, error) {
	if err := a.checkOwnPage(c); err != nil {
		return nil, err
	}
	who, err := a.cfg.Keys.Identity(c.UserContext(), strings.Clone(c.Cookies(a.cfg.SessionCookie)))
	if problem.CodeOf(err) == problem.CodeUnauthorized || err == nil && !who.Session {
		return nil, problem.Errorf(problem.CodeUnauthorized, "The session has ended; sign in again.")
	}
	return &verified{identity: who}, err
}

// Forbidden returns the error of a caller who may not call a route.
func Forbidden(format string, args ...any) error {
	return problem.RefusedBy(gateToken, problem.Errorf(CodeForbidden, format, args...))
}

// require accepts callers with a valid token or key for whom refusal returns nil.
func (a *Auth) require(refusal func(who Identity) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if v, own := c.Locals(ownKey{}).(*verified); own {
			c.Locals(identityKey{}, v)
			return c.Next()
		}
		if a.cfg.Host != nil && // an operator's key is nobody's cookie
			!bytes.HasPrefix(bearer(c.Request().Header.Peek(fiber.HeaderAuthorization)), []byte(api.KeyPrefix)) {
			v, err := a.hostCaller(c)
			if err == nil && v != nil {
				return a.let(c, v, refusal)
			}
			if err != nil {
				return problem.RefusedBy(gateToken, err)
			}
		}
		headers := c.Request().Header.PeekAll(fiber.HeaderAuthorization)
		if len(headers) > 1 { // a proxy may have checked another one
			return problem.RefusedBy(gateToken,
				problem.Errorf(problem.CodeUnauthorized, "The header Authorization must not be given twice."))
		}
		var header []byte
		if len(headers) == 1 {
			header = headers[0]
		}
		v, err := a.verify(c.UserContext(), bearer(header))
		if err != nil {
			return problem.RefusedBy(gateToken, err)
		}
		return a.let(c, v, refusal)
	}
}

// let lets a caller in for whom refusal returns nil.
func (*Auth) let(c *fiber.Ctx, v *verified, refusal func(who Identity) error) error {
	if err := refusal(v.identity); err != nil {
		return problem.RefusedBy(gateToken, err)
	}
	c.Locals(identityKey{}, v)
	return c.Next()
}

// ownKey is the key of the caller of a request that the program itself makes. No request from outside has one.
type ownKey struct{}

// AsOperator gives a request, which the program itself made and which has no connection, an operator who may do
// everything, and whom the operators' log calls name.
func AsOperator(request *fasthttp.RequestCtx, name string) {
	request.SetUserValue(ownKey{}, &verified{identity: Identity{User: name, Role: RoleAdmin, Scope: api.ScopeAdmin}})
}

// RequireTicket is Require for RoleUser, but the query parameter ticket stands for a token: userOf returns the user of
// a ticket, as a string that may be kept.
func (a *Auth) RequireTicket(userOf func(ticket string) (user string, err error)) fiber.Handler {
	byToken := a.Require(RoleUser)
	return func(c *fiber.Ctx) error {
		if !hasQuery(c, "ticket") {
			return byToken(c)
		}
		user, err := userOf(c.Query("ticket"))
		if err != nil {
			return problem.RefusedBy(gateToken, err)
		}
		c.Locals(identityKey{}, &verified{identity: Identity{User: user, Role: RoleUser}})
		return c.Next()
	}
}

// bearer returns the token of an Authorization header, or nil if there is none.
func bearer(header []byte) []byte {
	scheme, token, found := bytes.Cut(header, []byte{' '})
	if !found || !bytes.EqualFold(scheme, []byte("Bearer")) {
		return nil
	}
	return bytes.TrimSpace(token)
}

// verify returns the caller of a token; a cached token costs one digest and one lookup.
func (a *Auth) verify(ctx context.Context, token []byte) (*verified, error) {
	if len(token) == 0 {
		return nil, problem.Errorf(problem.CodeUnauthorized, "Sign in, or send a token: Authorization: Bearer <token>.")
	}
	if len(token) > a.cfg.MaxToken {
		return nil, problem.Errorf(problem.CodeUnauthorized, "The token is too long.")
	}
	if a.cfg.Keys != nil && bytes.HasPrefix(token, []byte(api.KeyPrefix)) {
		who, err := a.cfg.Keys.Identity(ctx, string(token))
		if err != nil {
			return nil, err
		}
		if who.Session {
			return nil, problem.Errorf(problem.CodeUnauthorized, "The key is not valid.")
		}
		return &verified{identity: who}, nil
	}
	if a.cfg.Secret == "" && a.keys == nil {
		return nil, problem.Errorf(problem.CodeUnauthorized, "Tokens are not accepted here.")
	}
	digest := tokenDigest(sha256.Sum256(token))
	if v, ok := a.tokens.Get(digest); ok {
		if v.keys == a.keys.Current() && a.now().Before(v.until) {
			return v, nil
		}
		a.tokens.Delete(digest)
	}
	v, err := a.read(ctx, token)
	if err != nil {
		return nil, err
	}
	a.tokens.Set(digest, v)
	return v, nil
}
