package eligible

import (
	"database/sql/driver"
	"slices"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Settings say who may buy in a sale. Without List, Code and Claim, everybody may.
type Settings struct {
	// List lets the buyers on the sale's list buy, Code those who have used one of its codes.
	List bool `json:"list,omitempty"`
	Code bool `json:"code,omitempty"`
	// Claim lets buyers buy whose token has a claim with one of its values.
	Claim *Claim `json:"claim,omitempty"`
	// EarlyS is how many seconds before the start these buyers may buy; from the start on, everybody may. 0: only they
	// may buy at all.
	EarlyS int64 `json:"early_s,omitempty" validate:"min=0,max=2592000"`
}

// Claim is a claim of a token: a text, or a list of texts.
type Claim struct {
	Name   string   `json:"name" validate:"required,max=64,visible"`
	Values []string `json:"values" validate:"required,min=1,max=16,dive,required,max=64,visible"`
}

// maxJSON is the length of the column, in characters.
const maxJSON = 2000

// On reports whether the sale is for some buyers only, or earlier for some.
func (s *Settings) On() bool { return s.List || s.Code || s.Claim != nil }

// EarlyMS is how many ms before the start the eligible buyers may buy.
func (s *Settings) EarlyMS() int64 { return s.EarlyS * 1000 }

// Shown is what buyers see of the settings of a sale. It has no values of a claim: not every shop tells them.
type Shown struct {
	List    bool       `json:"list"`
	Code    bool       `json:"code"`
	Claim   bool       `json:"claim"`
	EarlyAt api.Millis `json:"early_at,omitzero"` // from when on these buyers may buy; 0: only they may
}

// Show returns what buyers see of the settings of a sale that starts at a time; nil if everybody may buy.
func (s *Settings) Show(startsMS int64) *Shown {
	if !s.On() {
		return nil
	}
	shown := &Shown{List: s.List, Code: s.Code, Claim: s.Claim != nil}
	if s.EarlyS > 0 {
		shown.EarlyAt = api.Millis(startsMS - s.EarlyMS())
	}
	return shown
}

// Check returns the faults of settings that an operator sent. s may be nil.
func (s *Settings) Check() error {
	if s == nil {
		return nil
	}
	if s.EarlyS > 0 && !s.On() {
		return problem.Invalid("eligibility.early_s", "needs buyers who may buy earlier: a list, a code or a claim")
	}
	text, err := s.Value()
	if err == nil && len(text.(string)) > maxJSON {
		err = problem.Invalid("eligibility.claim.values", "are too long together")
	}
	return err
}

// meets reports whether one of the texts of a claim is among the values.
func (c *Claim) meets(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return slices.Contains(c.Values, text) })
}

// Value writes the settings as SQL keeps them: "" if everybody may buy.
func (s Settings) Value() (driver.Value, error) {
	return sqldb.FormatJSON(s)
}

// Scan reads what Value writes.
func (s *Settings) Scan(column any) error { return sqldb.ScanJSON(column, s) }
