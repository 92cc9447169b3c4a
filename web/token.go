package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/golang-jwt/jwt/v5"

	"onrush/modules/api"
	"onrush/modules/panics"
	"onrush/modules/problem"
	"onrush/web/jwks"
)

// read verifies a token completely. A signature of a private key takes long, so requests with the same token share a
// running verification if the keys are the same.
func (a *Auth) read(ctx context.Context, token []byte) (*verified, error) {
	text := string(token)
	if a.keys == nil {
		return a.parse(ctx, text)
	}
	known := a.keys.Current() // before they are used: newer ones may not have verified it
	running := a.reading.DoChan(fmt.Sprintf("%p %s", known, text), func() (any, error) {
		return panics.RecoveredValue(func() (*verified, error) {
			v, err := a.parse(context.WithoutCancel(ctx), text)
			if err == nil {
				v.keys = known
			}
			return v, err
		})
	})
	select {
	case r := <-running:
		v, _ := r.Val.(*verified)
		return v, r.Err
	case <-ctx.Done():
		return nil, problem.Unavailable(ctx.Err(), "Tokens can't be checked at the moment.")
	}
}

// parse verifies a token completely. The error is unauthorized for an invalid token, and unavailable
// while the keys have not been read.
func (a *Auth) parse(ctx context.Context, text string) (*verified, error) {
	said := claims{roleClaim: a.cfg.RoleClaim}
	token, err := a.parser.ParseWithClaims(text, &said, func(t *jwt.Token) (any, error) { return a.key(ctx, t) })
	v, err := a.accept(&said, err)
	if problem.CodeOf(err) == problem.CodeUnauthorized {
		a.logRefusal(ctx, token, &said, err)
	}
	return v, err
}

// accept returns the caller of a token that the library has read with an error or nil.
func (a *Auth) accept(said *claims, err error) (*verified, error) {
	switch {
	case errors.Is(err, jwks.ErrAway):
		return nil, problem.Unavailable(err, "Tokens can't be checked at the moment.")
	case errors.Is(err, jwt.ErrTokenExpired):
		return nil, &problem.Error{Code: problem.CodeUnauthorized, Detail: "The token has expired.", Err: err}
	case err != nil:
		return nil, &problem.Error{Code: problem.CodeUnauthorized, Detail: "The token is not valid.", Err: err}
	case !problem.IsUser(said.Subject):
		return nil, problem.Errorf(problem.CodeUnauthorized, "The token's sub %s.", problem.UserRule)
	case strings.HasPrefix(said.Subject, api.Pseudonym):
		return nil, problem.Errorf(problem.CodeUnauthorized,
			"The token's sub must not begin with %s, as the pseudonyms of erased users do.", api.Pseudonym)
	}
	who := Identity{User: said.Subject, Role: said.role, Segments: said.Segments.Set}
	if who.Role == RoleAdmin {
		if who.Scope = api.ScopeAdmin; strings.HasPrefix(who.User, api.KeyActor) {
			return nil, problem.Errorf(problem.CodeUnauthorized,
				"The sub of an operator's token must not begin with %s, as keys are named in the log.", api.KeyActor)
		}
		var wrong error
		if who.Shop, wrong = said.operatorShop(); wrong != nil {
			return nil, wrong
		}
	}
	return &verified{identity: who, until: said.ExpiresAt.Add(leeway)}, nil
}

// key returns the key that a token must be signed with. The parser calls it only for the configured
// algorithms, and each key is for one algorithm, so no key is used with another algorithm.
func (a *Auth) key(ctx context.Context, t *jwt.Token) (any, error) {
	if err := a.checkHeader(t.Raw); err != nil {
		return nil, err
	}
	if t.Claims == nil || strings.ContainsAny(t.Raw, "\r\n") { // which base64 skips
		return nil, errors.New("the token's claims are no object, or it has a line break")
	}
	if _, ok := t.Header["crit"]; ok {
		return nil, errors.New("the token asks for extensions that are not known here")
	}
	if t.Method == jwt.SigningMethodHS256 {
		var keys jwt.VerificationKeySet
		for _, secret := range a.secrets {
			keys.Keys = append(keys.Keys, []byte(secret))
		}
		return keys, nil
	}
	kid, _ := t.Header["kid"].(string)
	return a.keys.Find(ctx, kid, t.Method.Alg())
}

// Sign returns an HS256 token of a user in some segments, for development, tests and the command line.
func (a *Auth) Sign(user string, role Role, ttl time.Duration, in ...string) (string, error) {
	switch {
	case a.cfg.Secret == "":
		return "", errors.New("sign token: there is no secret")
	case !problem.IsUser(user):
		return "", fmt.Errorf("sign token: a user id %s", problem.UserRule)
	case strings.HasPrefix(user, api.Pseudonym):
		return "", fmt.Errorf("sign token: a user id must not begin with %s", api.Pseudonym)
	case role != RoleUser && role != RoleAdmin:
		return "", fmt.Errorf("sign token: no role %q", role)
	case ttl <= 0:
		return "", fmt.Errorf("sign token: it would have expired %s ago", -ttl)
	}
	now := a.now()
	said := jwt.MapClaims{
		"sub": user, "iat": jwt.NewNumericDate(now), "exp": jwt.NewNumericDate(now.Add(ttl)), a.cfg.RoleClaim: role,
	}
	if len(in) > 0 {
		said["segments"] = in
	}
	if a.cfg.Issuer != "" {
		said["iss"] = a.cfg.Issuer
	}
	if a.cfg.Audience != "" {
		said["aud"] = a.cfg.Audience
	}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, said).SignedString([]byte(a.secrets.First()))
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return text, nil
}

// DevTokenTTL is how long a token of POST /dev/token is valid.
const DevTokenTTL = 24 * time.Hour

// DevToken is the handler of POST /dev/token, which returns a token for any user to any caller. It is
// for development only. {user_id, role, segments} → {token, expires_at}; role defaults to user.
func (a *Auth) DevToken() fiber.Handler {
	type request struct {
		User     string   `json:"user_id" validate:"required,user"`
		Role     Role     `json:"role" validate:"omitempty,oneof=user admin"`
		Segments []string `json:"segments" validate:"max=32,dive,segment"`
	}
	return func(c *fiber.Ctx) error {
		var req request
		if err := Bind(c, &req); err != nil {
			return err
		}
		if strings.HasPrefix(req.User, api.Pseudonym) {
			return problem.Invalid("user_id", "must not begin with %s", api.Pseudonym)
		}
		req.Role = cmp.Or(req.Role, RoleUser)
		token, err := a.Sign(req.User, req.Role, DevTokenTTL, req.Segments...)
		if err != nil {
			return err
		}
		return c.JSON(fiber.Map{"token": token, "expires_at": api.Millis(a.now().Add(DevTokenTTL).UnixMilli())})
	}
}
