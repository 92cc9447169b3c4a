package oidc

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/web"
	"onrush/web/jwks"
)

// leeway is by how much the clocks of issuer and server may differ.
const leeway = time.Minute

// allShops is what ShopClaim has for an operator of all shops.
const allShops = "*"

// scopes are what RoleClaim may name; of several, the first is the operator's.
var scopes = []api.Scope{
	api.ScopeAdmin, api.ScopeSupport, api.ScopeCatalogue, api.ScopePayments, api.ScopeEvents, api.ScopeRead,
	api.ScopeTill,
}

// idClaims are the claims of an ID token. Names are case-sensitive, and a name that is there twice is an error.
type idClaims struct {
	registered
	all jsontext.Value
}

type registered struct {
	jwt.RegisteredClaims

	Nonce           string `json:"nonce"`
	AuthorizedParty string `json:"azp"`
}

func (c *idClaims) UnmarshalJSON(data []byte) error {
	c.all = slices.Clone(data)
	return json.Unmarshal(data, &c.registered)
}

// challengeOf is the code_challenge of a verifier, by S256.
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// errNoRole is an operator whom the issuer knows, and who may do nothing here.
var errNoRole = errors.New("the claims allow nothing")

// operator verifies an ID token as OpenID Connect Core 1.0, section 3.1.3.7, says, and returns its operator.
func (i *Issuer) operator(ctx context.Context, m *metadata, idToken, nonce string) (who web.Identity, err error) {
	_ = m.keys.Refresh(ctx, keysFor) // it logs its errors
	parser := jwt.NewParser(
		jwt.WithValidMethods(jwks.Algorithms), jwt.WithTimeFunc(i.now), jwt.WithLeeway(leeway),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithStrictDecoding(),
		jwt.WithIssuer(i.cfg.Issuer), jwt.WithAudience(i.cfg.ClientID),
	)
	var said idClaims
	_, err = parser.ParseWithClaims(idToken, &said, func(t *jwt.Token) (any, error) {
		if _, ok := t.Header["crit"]; ok {
			return nil, errors.New("it asks for extensions that are not known here")
		}
		kid, _ := t.Header["kid"].(string)
		return m.keys.Find(ctx, kid, t.Method.Alg())
	})
	switch {
	case errors.Is(err, jwks.ErrAway):
		return who, unavailable{err}
	case err != nil:
		return who, fmt.Errorf("the ID token is not valid: %w", err)
	case nonce == "" || subtle.ConstantTimeCompare([]byte(said.Nonce), []byte(nonce)) != 1:
		return who, errors.New("the ID token has another nonce")
	case said.AuthorizedParty != "" && said.AuthorizedParty != i.cfg.ClientID,
		len(said.Audience) > 1 && said.AuthorizedParty == "":
		return who, errors.New("the ID token is for another client")
	}
	return i.cfg.operatorOf(said.all)
}

// operatorOf returns the operator whom valid claims describe.
func (c *Config) operatorOf(claims jsontext.Value) (who web.Identity, err error) {
	names, err := web.Texts(claims, c.UserClaim)
	if err != nil || len(names) != 1 || !problem.IsUser(names[0]) || strings.HasPrefix(names[0], api.KeyActor) ||
		strings.HasPrefix(names[0], api.Pseudonym) {
		return who, fmt.Errorf("%w: %s is not the name of an operator", errNoRole, c.UserClaim)
	}
	if c.UserClaim == "email" && !emailVerified(claims) {
		return who, fmt.Errorf("%w: the issuer has not verified the e-mail address", errNoRole)
	}
	roles, err := web.Texts(claims, c.RoleClaim)
	at := slices.IndexFunc(scopes, func(s api.Scope) bool { return slices.Contains(roles, string(s)) })
	if err != nil || at < 0 {
		return who, fmt.Errorf("%w: %s names no scope", errNoRole, c.RoleClaim)
	}
	who = web.Identity{User: names[0], Scope: scopes[at]}
	if c.ShopClaim == "" {
		return who, nil
	}
	shops, err := web.Texts(claims, c.ShopClaim)
	switch {
	case err != nil || len(shops) != 1 || shops[0] != allShops && !ids.Valid(shops[0]):
		return web.Identity{}, fmt.Errorf("%w: %s is neither the id of a shop nor *", errNoRole, c.ShopClaim)
	case shops[0] != allShops:
		who.Shop = shops[0]
	}
	return who, nil
}

// emailVerified reports whether the issuer says that the e-mail address is the operator's; some say it as a text.
func emailVerified(claims jsontext.Value) bool {
	var said struct {
		Verified jsontext.Value `json:"email_verified"`
	}
	err := json.Unmarshal(claims, &said)
	return err == nil && strings.Trim(string(said.Verified), `"`) == "true"
}
