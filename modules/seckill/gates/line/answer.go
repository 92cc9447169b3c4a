package line

import (
	"math"
	"time"

	"onrush/modules/api"
)

// Status is the state of a place.
type Status string

// The states of a place. An expired place is refused.
const (
	Waiting  Status = "waiting"
	Admitted Status = "admitted"
)

// Answer is a place as its user sees it.
type Answer struct {
	Place  string `json:"place,omitempty"` // absent where there is no waiting room
	Status Status `json:"status"`
	// Ahead is how many users are admitted before this one; absent until the position is known, at the start.
	Ahead *int64 `json:"ahead,omitempty"`
	// Unlikely says that more users are ahead than can still take a path.
	Unlikely bool       `json:"unlikely,omitempty"`
	Paused   bool       `json:"paused,omitempty"`   // the sale is paused: nobody is admitted, no place expires
	StartsAt api.Millis `json:"starts_at,omitzero"` // until the start of the sale
	// AdmittedAt is when a waiting place is admitted at the rate of now; absent until the position is known, and while
	// the sale is paused.
	AdmittedAt     api.Millis `json:"admitted_at,omitzero"`
	ExpiresAt      api.Millis `json:"expires_at,omitzero"` // of an admitted place
	RefreshAfterMS int64      `json:"refresh_after_ms"`    // 0 when nothing more will change
}

const (
	// soonest and latest bound when a client asks again. An answer may change at any time: operators change
	// the rate, and sales sell out.
	soonest, latest = 500 * time.Millisecond, time.Minute
	// pausedLeast is the shortest time after which clients that wait for a paused sale ask again.
	pausedLeast = 5 * time.Second
	// startSpread is the time after the start over which clients that came before the start spread their requests for
	// positions.
	startSpread = 2 * time.Second
	// waitSpread is the greatest part of a wait that is added to it at random, so that users don't ask at the same
	// moment.
	waitSpread = 0.1
)

// beforeStart returns the answer for a place whose position is not known yet.
func beforeStart(sealed string, startsMS, nowMS int64, spread float64) *Answer {
	wait := time.Duration(max(startsMS-nowMS, 0)) * time.Millisecond
	after := time.Duration(spread * float64(startSpread))
	if wait > latest {
		after = time.Duration(spread * waitSpread * float64(latest))
	}
	return &Answer{
		Place: sealed, Status: Waiting, StartsAt: api.Millis(startsMS),
		RefreshAfterMS: (max(min(wait, latest), soonest) + after).Milliseconds(),
	}
}

// waiting returns the answer for a place that is not admitted yet.
func waiting(sealed string, s *Sale, position, chances, nowMS int64, spread float64) *Answer {
	ahead := position - s.Room.Admitted(s.StartsMS, nowMS)
	wait, least := s.Room.wait(position, s.StartsMS, nowMS), soonest
	admittedMS := nowMS + wait
	if s.Room.PausedMS > 0 {
		least, admittedMS = pausedLeast, 0
	}
	wait = min(max(wait, least.Milliseconds()), latest.Milliseconds())
	answer := &Answer{
		Place: sealed, Status: Waiting, Ahead: &ahead, Unlikely: chances != Unknown && ahead >= chances,
		AdmittedAt:     api.Millis(admittedMS),
		RefreshAfterMS: wait + int64(math.Ceil(float64(wait)*waitSpread*spread)),
	}
	if nowMS < s.StartsMS { // it was moved to later when positions had been given
		answer.StartsAt = api.Millis(s.StartsMS)
	}
	return answer
}

// admitted returns the answer for a place that is admitted.
func admitted(sealed string, s *Sale, position, nowMS int64) *Answer {
	expires := s.Room.ExpiresAt(position, s.StartsMS)
	if s.Room.PausedMS > 0 { // it expires this long after the end of the pause
		expires = nowMS + AdmittedFor.Milliseconds()
	}
	return &Answer{
		Place: sealed, Status: Admitted, Ahead: new(int64), ExpiresAt: api.Millis(min(expires, s.EndsMS)),
	}
}
