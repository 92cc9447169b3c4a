package human

import (
	"context"

	"onrush/modules/api"
	"onrush/modules/problem"
)

// Kind names the check of an activity, its setting human_check. The zero value is None, since activities of
// older versions have no such setting.
type Kind string

// The kinds of checks.
const (
	None        Kind = "none"
	ProofOfWork Kind = "pow"
	Captcha     Kind = "captcha"
)

// needsAnswer reports whether activities with this kind have a check at all.
func (k Kind) needsAnswer() bool { return k != None && k != "" }

// Subject is who is checked, and for which activity. An answer is valid for one user and activity.
type Subject struct {
	Lane     int // of the activity
	Activity string
	User     string
	Address  string // of the client; may be empty
}

// Challenge is what a client must solve. Kind determines which of the other fields are set. The fields of a proof of
// work have the same names as in ALTCHA, so that ALTCHA's clients can solve it as well.
type Challenge struct {
	Kind Kind `json:"human_check"`

	// The client finds the number from 0 to MaxNumber for which hex(SHA-256(Salt + number)) is Challenge.
	Algorithm string     `json:"algorithm,omitempty"` // SHA-256
	Challenge string     `json:"challenge,omitempty"`
	MaxNumber int64      `json:"maxnumber,omitempty"`
	Salt      string     `json:"salt,omitempty"`
	Signature string     `json:"signature,omitempty"`
	ExpiresAt api.Millis `json:"expires_at,omitzero"`

	SiteKey string `json:"site_key,omitempty"` // with which a page shows the hosted captcha
}

// Check is one kind of check.
type Check interface {
	// Challenge returns what the subject must solve.
	Challenge(ctx context.Context, s Subject) (Challenge, error)
	// Verify returns nil if answer, which is not empty, solves a challenge of the subject and was not
	// accepted before. The error is human_check_failed if it is not, or unavailable or overloaded if that
	// can't be found out now.
	Verify(ctx context.Context, s Subject, answer string) error
}

// Checks are the checks that this program offers; those that are not configured are absent.
type Checks map[Kind]Check

// Offers reports whether activities may have this kind of check.
func (c Checks) Offers(kind Kind) bool { return !kind.needsAnswer() || c[kind] != nil }

// Challenge returns what the subject must solve; without a check only Kind is set.
func (c Checks) Challenge(ctx context.Context, kind Kind, s Subject) (Challenge, error) {
	if !kind.needsAnswer() {
		return Challenge{Kind: None}, nil
	}
	check, err := c.of(kind)
	if err != nil {
		return Challenge{}, err
	}
	return check.Challenge(ctx, s)
}

// Verify returns nil if the kind needs no answer, or if answer is right. An empty answer where one is needed
// is human_check_required; for the other errors see Check.
func (c Checks) Verify(ctx context.Context, kind Kind, s Subject, answer string) error {
	if !kind.needsAnswer() {
		return nil
	}
	check, err := c.of(kind)
	if err != nil {
		return err
	}
	if answer == "" {
		return problem.Errorf(CodeRequired, "The sale needs an answer to its human check; get a challenge first.")
	}
	return check.Verify(ctx, s, answer)
}

// of returns the check of a kind. An activity may have a captcha that another instance is configured for.
func (c Checks) of(kind Kind) (Check, error) {
	if check := c[kind]; check != nil {
		return check, nil
	}
	return nil, problem.Unavailable(nil, "The human check of this sale is not configured.")
}
