package line

import (
	"math"
)

// Admitted returns how many places have been admitted at nowMS: the places with lower positions than this number.
func (s Settings) Admitted(startsMS, nowMS int64) int64 {
	elapsed := s.at(nowMS) - s.from(startsMS)
	if elapsed < 0 {
		return s.Base
	}
	return s.Base + int64(s.PathsPerSecond*float64(elapsed)/1000)
}

// Expired returns how many places have expired at nowMS: the places with lower positions than this number.
func (s Settings) Expired(startsMS, nowMS int64) int64 {
	before := s.at(nowMS) - AdmittedFor.Milliseconds()
	if before < s.from(startsMS) {
		return s.Gone
	}
	return s.Admitted(startsMS, before)
}

// AdmittedAt returns the time at which a place is admitted unless the room is paused, exact to the millisecond. For a
// place that was admitted when the rate changed, it is the time of the change.
func (s Settings) AdmittedAt(position, startsMS int64) int64 {
	from := s.from(startsMS)
	if position < s.Base {
		return from
	}
	return from + int64(math.Ceil(float64(position+1-s.Base)*1000/s.PathsPerSecond))
}

// wait returns in how many ms, at nowMS, a place is admitted. While the room is paused, it is how long that takes after
// the end of the pause.
func (s Settings) wait(position, startsMS, nowMS int64) int64 {
	if s.PausedMS == 0 {
		return s.AdmittedAt(position, startsMS) - nowMS
	}
	stopped := max(s.PausedMS, s.from(startsMS)) // before the start no time of the room has passed
	return max(startsMS-nowMS, 0) + s.AdmittedAt(position, startsMS) - stopped
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
	if last := next - 1; last >= 0 && s.at(nowMS)-s.AdmittedAt(last, startsMS) <= AdmittedFor.Milliseconds()/2 {
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
