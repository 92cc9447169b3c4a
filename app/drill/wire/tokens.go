package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"onrush/app/operator"
	"onrush/web"
	"onrush/web/client"
)

// Tokens gives visitors their names and tokens.
type Tokens interface {
	// Of returns the user id and the token of the visitor with a number, who is in some segments. id is of the drill.
	Of(ctx context.Context, id string, number int, in []string) (user, token string, err error)
}

// Signed makes tokens with the secret that the program checks them with.
type Signed struct{ auth *web.Auth }

// NewSigned returns tokens signed by a secret of HS256, for the whole time of a drill.
func NewSigned(ctx context.Context, cfg web.AuthConfig) (*Signed, error) {
	auth, err := web.NewAuth(ctx, cfg, slog.New(slog.DiscardHandler), time.Now)
	return &Signed{auth}, err
}

// tokenFor is how long a token is valid: longer than a drill.
const tokenFor = 26 * time.Hour

// Of signs a token.
func (s *Signed) Of(_ context.Context, id string, number int, in []string) (user, token string, err error) {
	user = fmt.Sprintf("drill-%s-%d", id, number)
	token, err = s.auth.Sign(user, web.RoleUser, tokenFor, in...)
	return user, token, err
}

// Operator signs a token of an operator.
func (s *Signed) Operator() (string, error) { return s.auth.Sign("drill", web.RoleAdmin, tokenFor) }

// Listed are tokens from a file.
type Listed []struct{ user, token string }

// ReadTokens reads lines of a user id, spaces, and the user's token.
func ReadTokens(r io.Reader) (Listed, error) {
	var all Listed
	seen := map[string]bool{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		switch len(fields) {
		case 0:
		case 2:
			if seen[fields[0]] {
				return nil, fmt.Errorf("line %d of the tokens: %s has one already", n, fields[0])
			}
			seen[fields[0]] = true
			all = append(all, struct{ user, token string }{fields[0], fields[1]})
		default:
			return nil, fmt.Errorf("line %d of the tokens: it must have a user id and a token", n)
		}
	}
	return all, lines.Err()
}

// Of returns a token of the file, whatever segments it names. A visitor needs one of its own, since limits are per
// user.
func (l Listed) Of(_ context.Context, _ string, number int, _ []string) (user, token string, err error) {
	if number >= len(l) {
		return "", "", fmt.Errorf("the file has tokens for %d visitors only", len(l))
	}
	return l[number].user, l[number].token, nil
}

// FromProgram takes tokens from POST /dev/token, which programs for development have.
type FromProgram struct{ operator *operator.Client }

// NewFromProgram returns tokens of a program at an address.
func NewFromProgram(addr string) FromProgram {
	return FromProgram{operator.NewClient("none", addr)}
}

// Of asks the program for a token.
func (f FromProgram) Of(ctx context.Context, id string, number int, in []string) (user, token string, err error) {
	user = fmt.Sprintf("drill-%s-%d", id, number)
	var answer client.Token
	body := client.TokenRequest{UserID: user, Role: "user", Segments: in}
	err = f.operator.Call(ctx, "POST", "/dev/token", "", body, &answer)
	if errors.As(err, new(*operator.Refusal)) {
		err = fmt.Errorf("%w; pass --jwt-secret, or --tokens with a file of buyers' tokens", err)
	}
	return user, answer.Token, err
}
