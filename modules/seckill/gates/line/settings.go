package line

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"onrush/modules/problem"
)

const (
	// minRate and maxRate bound the paths per second of a waiting room.
	minRate, maxRate = 0.01, 100_000
	// AdmittedFor is how long an admitted place is valid. After that its user must join again.
	AdmittedFor = 2 * time.Minute
)

// Settings are the waiting room of an activity. The zero value means that there is none.
//
// Places are numbered from 0 and are admitted in this order: at time t, Base + PathsPerSecond × (t − from) of
// them, rounded down, where from is FromMS or, if that is 0, the start of the sale. Operators choose
// PathsPerSecond only; the other fields change with it (WithRate), so that a new rate changes the future and
// not the past.
type Settings struct {
	PathsPerSecond float64 `json:"paths_per_second"`
	Base           int64   `json:"base,omitempty"`    // places that were admitted at FromMS
	FromMS         int64   `json:"from_ms,omitempty"` // since when the rate applies; 0: since the start of the sale
	Gone           int64   `json:"gone,omitempty"`    // places that had expired at FromMS
}

// On reports whether there is a waiting room.
func (s Settings) On() bool { return s.PathsPerSecond > 0 }

// Check checks what operators choose; field is the name of the settings in the request.
func (s Settings) Check(checks *problem.Checks, field string) {
	ok := s.PathsPerSecond >= minRate && s.PathsPerSecond <= maxRate // and not NaN
	checks.That(ok, field+".paths_per_second", "must be from %g to %d", minRate, maxRate)
}

// WithRate returns the settings after a change of the rate at nowMS. Places that are admitted at that time stay
// admitted for AdmittedFor, and those that have expired stay expired. A rate of 0 closes the waiting room;
// if it opens again, it begins anew.
func (s Settings) WithRate(rate float64, startsMS, nowMS int64) Settings {
	switch {
	case rate <= 0:
		return Settings{}
	case nowMS <= startsMS:
		return Settings{PathsPerSecond: rate}
	case !s.On():
		return Settings{PathsPerSecond: rate, FromMS: nowMS}
	}
	return Settings{
		PathsPerSecond: rate, Base: s.Admitted(startsMS, nowMS), FromMS: nowMS, Gone: s.Expired(startsMS, nowMS),
	}
}

// Admitted returns how many places have been admitted at nowMS: those with a lower position.
func (s Settings) Admitted(startsMS, nowMS int64) int64 {
	elapsed := nowMS - s.from(startsMS)
	if elapsed < 0 {
		return s.Base
	}
	return s.Base + int64(s.PathsPerSecond*float64(elapsed)/1000)
}

// Expired returns how many places have expired at nowMS: those with a lower position.
func (s Settings) Expired(startsMS, nowMS int64) int64 {
	before := nowMS - AdmittedFor.Milliseconds()
	if before < s.from(startsMS) {
		return s.Gone
	}
	return s.Admitted(startsMS, before)
}

// AdmittedAt returns the time at which a place is admitted, exact to the millisecond. For a place that was
// admitted when the rate changed, it is the time of the change.
func (s Settings) AdmittedAt(position, startsMS int64) int64 {
	from := s.from(startsMS)
	if position < s.Base {
		return from
	}
	return from + int64(math.Ceil(float64(position+1-s.Base)*1000/s.PathsPerSecond))
}

// ExpiresAt returns the time at which a place expires.
func (s Settings) ExpiresAt(position, startsMS int64) int64 {
	return s.AdmittedAt(position, startsMS) + AdmittedFor.Milliseconds()
}

// newcomer returns the lowest position that a user who joins after the start may get. While nobody waits, it
// is the position admitted last, so that the user need not wait, unless more than half of that place's time has
// passed.
func (s Settings) newcomer(startsMS, nowMS int64) int64 {
	next := s.Admitted(startsMS, nowMS)
	if last := next - 1; last >= 0 && nowMS-s.AdmittedAt(last, startsMS) <= AdmittedFor.Milliseconds()/2 {
		return last
	}
	return next
}

func (s Settings) from(startsMS int64) int64 {
	if s.FromMS > 0 {
		return s.FromMS
	}
	return startsMS
}

// Value writes the settings as SQL keeps them: JSON, or the empty text if there is no waiting room.
func (s Settings) Value() (driver.Value, error) {
	if !s.On() {
		return "", nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode a waiting room: %w", err)
	}
	return string(text), nil
}

// Scan reads what Value writes.
func (s *Settings) Scan(column any) error {
	*s = Settings{}
	var text []byte
	switch c := column.(type) {
	case string:
		text = []byte(c)
	case []byte:
		text = c
	default:
		return fmt.Errorf("decode a waiting room from %T", column)
	}
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, s); err != nil {
		return fmt.Errorf("decode a waiting room: %w", err)
	}
	return nil
}
