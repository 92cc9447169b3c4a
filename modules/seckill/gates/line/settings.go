package line

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"onrush/modules/problem"
	"onrush/modules/sqldb"
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

	// PausedMS is since when nobody is admitted and no place expires; 0: the room isn't paused. Times after it count as
	// this time.
	PausedMS int64 `json:"paused_ms,omitempty"`
}

// On reports whether there is a waiting room.
func (s Settings) On() bool { return s.PathsPerSecond > 0 }

// Check checks what operators choose; field is the name of the settings in the request.
func (s Settings) Check(checks *problem.Checks, field string) {
	ok := s.PathsPerSecond >= minRate && s.PathsPerSecond <= maxRate // and not NaN
	checks.That(ok, field+".paths_per_second", "must be from %g to %d", minRate, maxRate)
}

// WithRate returns the settings after a change of the rate at nowMS. Places that are admitted at that time stay
// admitted for AdmittedFor, and places that have expired stay expired. A rate of 0 closes the waiting room; if it opens
// again, it admits places from the first one on. A room that is paused stays paused.
func (s Settings) WithRate(rate float64, startsMS, nowMS int64) Settings {
	nowMS = s.at(nowMS)
	switch {
	case rate <= 0:
		return Settings{}
	case nowMS <= startsMS:
		return Settings{PathsPerSecond: rate, PausedMS: s.PausedMS}
	case !s.On():
		return Settings{PathsPerSecond: rate, FromMS: nowMS}
	}
	return Settings{
		PathsPerSecond: rate, Base: s.Admitted(startsMS, nowMS), FromMS: nowMS, Gone: s.Expired(startsMS, nowMS),
		PausedMS: s.PausedMS,
	}
}

// Pause returns the settings of a room that is paused at nowMS.
func (s Settings) Pause(nowMS int64) Settings {
	if s.On() && s.PausedMS == 0 {
		s.PausedMS = nowMS
	}
	return s
}

// Resume returns the settings after the end of a pause. The places that were admitted when the room was paused are
// valid for AdmittedFor from now on. The next place is admitted a full interval of the rate after now, however much
// of one had passed at the pause.
func (s Settings) Resume(startsMS, nowMS int64) Settings {
	if s.PausedMS == 0 {
		return s
	}
	s = s.WithRate(s.PathsPerSecond, startsMS, nowMS)
	s.PausedMS = 0
	if nowMS > startsMS {
		s.FromMS = nowMS
	}
	return s
}

// at returns the time that counts for the room.
func (s Settings) at(nowMS int64) int64 {
	if s.PausedMS > 0 {
		return min(nowMS, s.PausedMS)
	}
	return nowMS
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
	return sqldb.ScanJSON(column, s)
}
