package eligible

import (
	"database/sql/driver"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// ReservedFor says for whom units of a sale are reserved, and until when: for the buyers on the sale's list, for those
// who have used one of its codes, and for those with a claim. Without List, Code and Claim, nothing is reserved. The
// list and the codes are the same as of Settings.
type ReservedFor struct {
	Until api.Millis `json:"until,omitzero"` // from then on, everybody may buy the units
	List  bool       `json:"list,omitempty"`
	Code  bool       `json:"code,omitempty"`
	Claim *Claim     `json:"claim,omitempty"`
}

// On reports whether units may be reserved.
func (r *ReservedFor) On() bool { return r.List || r.Code || r.Claim != nil }

// At reports whether units may be reserved at a time.
func (r *ReservedFor) At(nowMS int64) bool { return r.On() && nowMS < int64(r.Until) }

// Who returns the buyers for whom the units are reserved, as Gate.Admit takes them.
func (r *ReservedFor) Who() Settings { return Settings{List: r.List, Code: r.Code, Claim: r.Claim} }

// ReservedShown is what buyers see of ReservedFor. It has no values of a claim.
type ReservedShown struct {
	Until api.Millis `json:"until"`
	List  bool       `json:"list"`
	Code  bool       `json:"code"`
	Claim bool       `json:"claim"`
}

// Show returns what buyers see at a time; nil if nothing is reserved any more.
func (r *ReservedFor) Show(nowMS int64) *ReservedShown {
	if !r.At(nowMS) {
		return nil
	}
	return &ReservedShown{Until: r.Until, List: r.List, Code: r.Code, Claim: r.Claim != nil}
}

// Check adds to the checks the faults of the fields that an operator sent for a sale that starts at a time.
func (r *ReservedFor) Check(checks *problem.Checks, startsMS int64) {
	if !r.On() {
		return
	}
	checks.That(int64(r.Until) > startsMS, "reserved_for.until", "must be after starts_at")
	text, err := r.Value()
	checks.That(err == nil && len(text.(string)) <= maxJSON, "reserved_for.claim.values", "are too long together")
}

// Value writes it as SQL keeps it: "" if nothing is reserved.
func (r ReservedFor) Value() (driver.Value, error) { return sqldb.FormatJSON(r) }

// Scan reads what Value writes.
func (r *ReservedFor) Scan(column any) error { return sqldb.ScanJSON(column, r) }
