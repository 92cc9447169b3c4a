package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// refusedFor are the claims and other parts for which the library refuses tokens.
var refusedFor = []struct {
	err  error
	part string
}{
	{jwt.ErrTokenExpired, "exp"},
	{jwt.ErrTokenRequiredClaimMissing, "exp"}, // no other is required here and read by the library
	{jwt.ErrTokenNotValidYet, "nbf"},
	{jwt.ErrTokenUsedBeforeIssued, "iat"},
	{jwt.ErrTokenInvalidIssuer, "iss"},
	{jwt.ErrTokenInvalidAudience, "aud"},
	{jwt.ErrTokenSignatureInvalid, "signature"},
	{jwt.ErrTokenUnverifiable, "key"},
	{jwt.ErrTokenMalformed, "form"},
}

// logRefusal logs why a token was refused, which its bearer is not told, once a minute for each claim and key. A
// stranger who makes up tokens causes lines of form, key and signature only: claims are checked after the signature.
func (a *Auth) logRefusal(ctx context.Context, token *jwt.Token, said *claims, err error) {
	part := "sub"
	for _, of := range refusedFor {
		if errors.Is(err, of.err) {
			part = of.part
			break
		}
	}
	details := []slog.Attr{slog.Time("now", a.now().UTC()), slog.Duration("leeway", leeway)}
	if token != nil {
		kid, _ := token.Header["kid"].(string)
		alg, _ := token.Header["alg"].(string)
		err = fmt.Errorf("%w, kid %q", cmp.Or(errors.Unwrap(err), err), clip(kid))
		details = append(details, slog.String("alg", clip(alg)))
	}
	for _, at := range []struct {
		claim string
		time  *jwt.NumericDate
	}{{"exp", said.ExpiresAt}, {"nbf", said.NotBefore}, {"iat", said.IssuedAt}} {
		if at.time != nil {
			details = append(details, slog.Time(at.claim, at.time.UTC()))
		}
	}
	switch part { // what a stranger can't choose
	case "iss":
		details = append(details, slog.String("iss", clip(said.Issuer)))
	case "aud":
		details = append(details, slog.String("aud", clip(strings.Join(said.Audience, " "))))
	}
	a.refused.Report(ctx, "token", "claim", part, err, details...)
}
