package line

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/problem"
)

const startsMS = 1_767_323_045_678

func drawRate(t *rapid.T) float64 {
	return rapid.Float64Range(minRate, 2000).Draw(t, "paths_per_second")
}

// change is a rate and the time in ms since which it applies.
type change struct {
	Settings

	at int64
}

// drawChanges returns the settings of a sale whose rate an operator changes a few times.
func drawChanges(t *rapid.T) []change {
	changes := []change{{Settings: Settings{PathsPerSecond: drawRate(t)}, at: startsMS}}
	for range rapid.IntRange(0, 5).Draw(t, "changes") {
		last := changes[len(changes)-1]
		at := last.at + rapid.Int64Range(0, 300_000).Draw(t, "after ms")
		changes = append(changes, change{Settings: last.WithRate(drawRate(t), startsMS, at), at: at})
	}
	return changes
}

// at returns the settings that apply at a time.
func at(changes []change, ms int64) change {
	applies := changes[0]
	for _, c := range changes {
		if c.at <= ms {
			applies = c
		}
	}
	return applies
}

func TestAdmissionNeverExceedsTheRateOverAnyWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		changes := drawChanges(t)
		begin := startsMS + rapid.Int64Range(-1000, 1_000_000).Draw(t, "begin")
		end := begin + rapid.Int64Range(0, 1_000_000).Draw(t, "window ms")
		most := 1.0
		for i, c := range changes {
			until := int64(math.MaxInt64)
			if i+1 < len(changes) {
				until = changes[i+1].at
			}
			most += c.PathsPerSecond * float64(max(min(end, until)-max(begin, c.at), 0)) / 1000
		}
		admitted := at(changes, end).Admitted(startsMS, end) - at(changes, begin).Admitted(startsMS, begin)
		assert.LessOrEqual(t, float64(admitted), most+1e-6)
		assert.GreaterOrEqual(t, float64(admitted), most-2-float64(len(changes)), "nor does it fall behind")
	})
}

func TestAChangeOfTheRateTakesNoAdmissionAwayAndGivesNone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before := at(drawChanges(t), math.MaxInt64)
		now := before.at + rapid.Int64Range(0, 1_000_000).Draw(t, "after ms")
		after := before.WithRate(drawRate(t), startsMS, now)
		assert.Equal(t, before.Admitted(startsMS, now), after.Admitted(startsMS, now))
		assert.Equal(t, before.Expired(startsMS, now), after.Expired(startsMS, now))
		later := now + rapid.Int64Range(0, 1_000_000).Draw(t, "later ms")
		assert.GreaterOrEqual(t, after.Admitted(startsMS, later), before.Admitted(startsMS, now))
		if later < now+AdmittedFor.Milliseconds() {
			assert.Equal(t, before.Expired(startsMS, now), after.Expired(startsMS, later), "all have their time")
		}
	})
}

func TestAPlaceIsAdmittedAtItsTimeAndExpiresAfterItsTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := at(drawChanges(t), math.MaxInt64)
		position := rapid.Int64Range(s.Gone, s.Base+100_000).Draw(t, "position")
		when := s.AdmittedAt(position, startsMS)
		assert.Greater(t, s.Admitted(startsMS, when+1), position)
		assert.Greater(t, s.Expired(startsMS, s.ExpiresAt(position, startsMS)+1), position)
		if position >= s.Base {
			assert.LessOrEqual(t, s.Admitted(startsMS, when-2), position)
		}
		assert.LessOrEqual(t, s.Expired(startsMS, s.ExpiresAt(position, startsMS)-2), position)
	})
}

func TestANewcomersPlaceHasNotExpiredAndIsAdmittedSoonWhereNobodyWaits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		changes := drawChanges(t)
		now := startsMS + rapid.Int64Range(0, 2_000_000).Draw(t, "now")
		s := at(changes, now)
		position := s.newcomer(startsMS, now)
		assert.GreaterOrEqual(t, position, s.Expired(startsMS, now))
		assert.LessOrEqual(t, position, s.Admitted(startsMS, now))
		if left := s.ExpiresAt(position, startsMS) - now; left < AdmittedFor.Milliseconds()/2 {
			t.Fatalf("expires after %d ms", left)
		}
	})
}

func TestAPauseAdmitsNobodyAndTakesNoPlaceAway(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		changes := drawChanges(t)
		paused := startsMS + rapid.Int64Range(-100_000, 2_000_000).Draw(t, "paused")
		for i, c := range changes { // later changes are made in the pause or after it
			if c.at > paused {
				changes = changes[:i]
				break
			}
		}
		before := Settings{PathsPerSecond: drawRate(t)}
		if len(changes) > 0 {
			before = changes[len(changes)-1].Settings
		}
		admitted, gone := before.Admitted(startsMS, paused), before.Expired(startsMS, paused)
		during := before.Pause(paused)
		until := paused + rapid.Int64Range(0, 1_000_000).Draw(t, "for ms")
		if rapid.Bool().Draw(t, "another rate") {
			during = during.WithRate(drawRate(t), startsMS, rapid.Int64Range(paused, until).Draw(t, "at"))
		}
		assert.Equal(t, during, during.Pause(until), "it is paused already")
		assert.Equal(t, admitted, during.Admitted(startsMS, until))
		assert.Equal(t, gone, during.Expired(startsMS, until))

		after := during.Resume(startsMS, until)
		assert.Zero(t, after.PausedMS)
		assert.Equal(t, after, after.Resume(startsMS, until+1), "it isn't paused")
		assert.Equal(t, admitted, after.Admitted(startsMS, until))
		assert.Equal(t, gone, after.Expired(startsMS, until+AdmittedFor.Milliseconds()-1))
		begins := max(until, startsMS)
		assert.InDelta(t, float64(admitted)+after.PathsPerSecond*10, after.Admitted(startsMS, begins+10_000), 1)
		if admitted > gone {
			assert.GreaterOrEqual(t, after.ExpiresAt(admitted-1, startsMS), until+AdmittedFor.Milliseconds())
		}
	})
	assert.Zero(t, Settings{}.Pause(startsMS), "there is no room")
}

func TestThoseWhoWaitInAPausedRoomWaitOnlyFromItsEndOn(t *testing.T) {
	t.Parallel()
	room := Settings{PathsPerSecond: 10}
	for name, pausedMS := range map[string]int64{
		"an hour before the start": startsMS - 3_600_000, "at the start": startsMS,
	} {
		paused := room.Pause(pausedMS)
		assert.EqualValues(t, 100, paused.wait(0, startsMS, startsMS+5000), name)
		assert.EqualValues(t, 1100, paused.wait(0, startsMS, startsMS-1000), name)
	}
	running := room.Pause(startsMS + 10_000) // 100 places are admitted
	assert.EqualValues(t, 1000, running.wait(109, startsMS, startsMS+60_000))
	assert.EqualValues(t, 1000, room.wait(109, startsMS, startsMS+10_000), "it isn't paused")
}

func TestTheRateBeforeTheStartAndTheEndOfAWaitingRoomBeginAnew(t *testing.T) {
	t.Parallel()
	s := Settings{PathsPerSecond: 10}
	assert.Equal(t, Settings{PathsPerSecond: 3}, s.WithRate(3, startsMS, startsMS), "before the start")
	assert.Equal(t, Settings{}, s.WithRate(0, startsMS, startsMS+60_000))
	assert.Equal(t, Settings{PathsPerSecond: 3, FromMS: startsMS + 5}, Settings{}.WithRate(3, startsMS, startsMS+5))
	running := s.WithRate(3, startsMS, startsMS+600_000)
	assert.Equal(t, Settings{PathsPerSecond: 3, Base: 6000, FromMS: startsMS + 600_000, Gone: 4800}, running)
	assert.Zero(t, s.Admitted(startsMS, startsMS-1))
}

func TestSettingsAreStoredAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, s := range []Settings{{}, {PathsPerSecond: 0.1}, {PathsPerSecond: 50, Base: 3, FromMS: 4, Gone: 2}} {
		value, err := s.Value()
		require.NoError(t, err)
		read := Settings{Base: 9}
		require.NoError(t, read.Scan(value))
		assert.Equal(t, s, read)
		require.NoError(t, read.Scan([]byte(value.(string))))
		assert.Equal(t, s, read)
		assert.Equal(t, s != Settings{}, s.On())
	}
	require.Error(t, new(Settings).Scan(7))
	require.Error(t, new(Settings).Scan("no JSON"))
	var wrong *json.SyntaxError
	assert.ErrorAs(t, new(Settings).Scan("{"), &wrong)
}

func TestOperatorsChooseARateWithinItsBounds(t *testing.T) {
	t.Parallel()
	for rate, ok := range map[float64]bool{
		0.01: true, 100_000: true, 0: false, -1: false, 0.009: false, 100_001: false,
		math.NaN(): false, math.Inf(1): false,
	} {
		var checks problem.Checks
		Settings{PathsPerSecond: rate}.Check(&checks, "waiting_room")
		assert.Equal(t, ok, checks.Err() == nil, "%g", rate)
	}
}
