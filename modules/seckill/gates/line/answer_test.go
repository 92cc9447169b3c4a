package line

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAClientIsToldToAskAgainWithinBoundsAndNotBeforeItsTurn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sale := Sale{StartsMS: startsMS, EndsMS: startsMS + 3_600_000, Room: Settings{PathsPerSecond: drawRate(t)}}
		now := startsMS + rapid.Int64Range(0, 600_000).Draw(t, "now")
		spread := rapid.Float64Range(0, 1).Draw(t, "spread")
		position := sale.Room.Admitted(startsMS, now) + rapid.Int64Range(0, 100_000).Draw(t, "ahead")
		a := waiting("p", &sale, position, Unknown, now, spread)
		assert.GreaterOrEqual(t, a.RefreshAfterMS, int64(500))
		assert.LessOrEqual(t, a.RefreshAfterMS, int64(66_000))
		if a.RefreshAfterMS < 60_000 {
			assert.Greater(t, sale.Room.Admitted(startsMS, now+a.RefreshAfterMS+1), position, "it is admitted then")
		}
		early := beforeStart("p", now, now-rapid.Int64Range(0, 7_200_000).Draw(t, "before"), spread)
		assert.GreaterOrEqual(t, early.RefreshAfterMS, int64(500))
		assert.LessOrEqual(t, early.RefreshAfterMS, int64(66_000))
	})
}

func TestThoseWhoCameBeforeTheStartAskForTheirPositionsNotAllAtOnce(t *testing.T) {
	t.Parallel()
	seen := map[int64]int{}
	for i := range crowd {
		_, spread := testSealer.score("a1", user(i))
		at := beforeStart("p", startsMS, startsMS-20_000, spread).RefreshAfterMS
		require.GreaterOrEqual(t, at, int64(20_000), "not before the start")
		seen[at/100]++
	}
	assert.Len(t, seen, 20, "two seconds after the start")
	for tenth, n := range seen {
		assert.Less(t, n, 2*crowd/20, "tenth %d of a second", tenth)
	}
}

func TestAnswersSayWhatIsKnown(t *testing.T) {
	t.Parallel()
	sale := Sale{StartsMS: startsMS, EndsMS: startsMS + 60_000, Room: Settings{PathsPerSecond: 10}}
	for _, tc := range []struct {
		answer *Answer
		want   string
	}{
		{&Answer{Status: Admitted}, `{"status":"admitted","refresh_after_ms":0}`},
		{
			beforeStart("p", startsMS, startsMS-time.Hour.Milliseconds(), 0),
			`{"place":"p","status":"waiting","starts_at":"2026-01-02T03:04:05.678Z","refresh_after_ms":60000}`,
		},
		{
			waiting("p", &sale, 30, 30, startsMS, 0),
			`{"place":"p","status":"waiting","ahead":30,"unlikely":true,"admitted_at":"2026-01-02T03:04:08.778Z",` +
				`"refresh_after_ms":3100}`,
		},
		{
			waiting("p", &sale, 30, 31, startsMS, 0.5),
			`{"place":"p","status":"waiting","ahead":30,"admitted_at":"2026-01-02T03:04:08.778Z",` +
				`"refresh_after_ms":3255}`,
		},
		{
			admitted("p", &sale, 7, startsMS),
			`{"place":"p","status":"admitted","ahead":0,"expires_at":"2026-01-02T03:05:05.678Z",` +
				`"refresh_after_ms":0}`,
		},
	} {
		body, err := json.Marshal(tc.answer)
		require.NoError(t, err)
		assert.JSONEq(t, tc.want, string(body))
	}
}
