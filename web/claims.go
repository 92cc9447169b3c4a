package web

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"github.com/golang-jwt/jwt/v5"

	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/segments"
)

// claims are the claims that are read from a token: sub is the user, exp is required, nbf, iat, iss and aud are
// checked, segments are the user's, and roleClaim says where the role is. Names are case-sensitive. A name that an
// object has twice, at any depth, makes the token invalid, since two programs could each use another of the two values.
type claims struct {
	members

	role      Role
	roleClaim string // set before the token is read
}

// members are the claims whose names are the same in all tokens.
type members struct {
	jwt.RegisteredClaims

	Segments segments.Claim `json:"segments"`
	// Shop is any value: only an operator's is read.
	Shop jsontext.Value `json:"shop_id"`
	// Others are the members of other names, such as the role.
	Others map[string]jsontext.Value `json:",inline"`
}

// operatorShop returns the shop of an operator's token; "" without the claim. A value that is no id is an error, so
// that a mistake gives nobody all shops.
func (m *members) operatorShop() (shop string, err error) {
	if len(m.Shop) == 0 {
		return "", nil
	}
	if json.Unmarshal(m.Shop, &shop) != nil || !ids.Valid(shop) {
		return "", problem.Errorf(problem.CodeUnauthorized, "The token's shop_id %s.", ids.Rule)
	}
	return shop, nil
}

// latest is the end of the year 9999 in seconds. No token has later times.
const latest = 253_402_300_799

// UnmarshalJSON decodes the claims strictly. encoding/json would accept "Sub" as "sub", and use the last
// of two members with the same name.
func (c *claims) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &c.members); err != nil {
		return fmt.Errorf("read the claims: %w", err)
	}
	for _, at := range []*jwt.NumericDate{c.ExpiresAt, c.NotBefore, c.IssuedAt} {
		if at != nil && (at.Unix() > latest || at.Unix() < 0) { // such a number may have overflowed
			return errors.New("read the claims: a time is not from 1970 to 9999")
		}
	}
	names, err := textsOf(c.Others, c.roleClaim)
	if err == nil && len(names) == 0 { // it may be in a claim that has a field of its own, such as aud
		names, err = Texts(data, c.roleClaim)
	}
	if err != nil {
		return fmt.Errorf("read the role: %w", err)
	}
	c.role = roleOf(names)
	return nil
}

// roleOf returns the higher one of the roles that are among names; "" if none is.
func roleOf(names []string) Role {
	for _, role := range []Role{RoleAdmin, RoleUser} {
		if slices.Contains(names, string(role)) {
			return role
		}
	}
	return ""
}

// Texts returns the texts of a claim, which is a string or a list of strings. The claim is a name, or a path of names
// separated by dots. Without the claim there are none.
func Texts(object jsontext.Value, claim string) ([]string, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, fmt.Errorf("read the claims: %w", err)
	}
	return textsOf(members, claim)
}

// textsOf is Texts for the members of an object.
func textsOf(members map[string]jsontext.Value, claim string) ([]string, error) {
	if value, ok := members[claim]; ok { // also a name that has dots, such as a URL
		return textsIn(value)
	}
	first, rest, found := strings.Cut(claim, ".")
	if value := members[first]; found && value.Kind() == '{' {
		return Texts(value, rest)
	}
	return nil, nil
}

func textsIn(value jsontext.Value) (texts []string, err error) {
	switch value.Kind() {
	case 'n':
	case '"':
		texts = make([]string, 1)
		err = json.Unmarshal(value, &texts[0])
	case '[':
		err = json.Unmarshal(value, &texts)
	default:
		err = errors.New("it is neither a text nor a list of texts")
	}
	return texts, err
}

// Claim returns the texts of a claim of the caller that Require accepted. There are none if the claim is neither a text
// nor a list of texts. The token is read again: most routes need no other claims than those that are kept of it.
func Claim(c *fiber.Ctx, name string) []string {
	v, ok := c.Locals(identityKey{}).(*verified)
	if !ok || v.until.IsZero() { // no token says who it is
		return Who(c).Claims[name]
	}
	parts := bytes.Split(bearer(c.Request().Header.Peek(fiber.HeaderAuthorization)), []byte("."))
	if len(parts) != 3 {
		return nil
	}
	object, err := base64.RawURLEncoding.AppendDecode(nil, parts[1])
	if err != nil {
		return nil
	}
	texts, err := Texts(object, name)
	if err != nil {
		return nil
	}
	return texts
}

// checkHeader refuses a token whose header contains a name twice. Nearly all tokens have the same header.
func (a *Auth) checkHeader(token string) error {
	text, _, _ := strings.Cut(token, ".")
	if checked := a.header.Load(); checked != nil && *checked == text {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err = errors.Join(err, json.Unmarshal(raw, &map[string]jsontext.Value{})); err != nil {
		return fmt.Errorf("read the token's header: %w", err)
	}
	a.header.Store(new(strings.Clone(text)))
	return nil
}
