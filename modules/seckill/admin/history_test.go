package admin_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill/admin"
	"onrush/test/kit"
)

func TestHistoryKeepsNoMoreThanAnHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kit.OnEmbedded(t), noon)
	w.put(t, sale{id: "long", endsIn: 2 * time.Hour})
	for range 760 {
		w.samples(t)
		w.clock.Advance(5 * time.Second)
	}
	points := w.points(t, "long")
	assert.Len(t, points, 719, "the next one would be the 720th")
	assert.True(t, slices.IsSortedFunc(points, byTime))
	assert.Greater(t, int64(points[0].At), w.clock.Now().Add(-time.Hour).UnixMilli())
	w.samples(t)
	assert.Len(t, w.points(t, "long"), 720)
	for range 3 { // as often as nobody should
		w.clock.Advance(time.Millisecond)
		w.samples(t)
	}
	assert.Len(t, w.points(t, "long"), 720)

	w.clock.Advance(59 * time.Minute)
	assert.Len(t, w.points(t, "long"), 15, "older ones are not shown, though nothing was sampled since")
	w.clock.Advance(time.Hour)
	assert.Empty(t, w.points(t, "long"))
	assert.Zero(t, w.samples(t), "it ended long ago")
	_, sampled := w.Of("long")
	assert.False(t, sampled, "it was not sampled for an hour, and is dropped")
}

func byTime(a, b admin.HistoryPoint) int { return int(a.At - b.At) }

func TestClockThatIsSetBackKeepsTheOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kit.OnEmbedded(t), noon)
	w.put(t, sale{id: "sale", startsIn: -24 * time.Hour},
		sale{id: "other", startsIn: -24 * time.Hour, endsIn: time.Second})
	for _, step := range []struct {
		by   time.Duration
		want int // points after it
	}{
		{0, 1},
		{5 * time.Second, 2},
		{5 * time.Second, 3},
		{-2 * time.Second, 3}, // the last one is not before it
		{0, 3},
		{5 * time.Second, 4},
		{-12 * time.Hour, 1}, // all times were wrong
		{5 * time.Second, 2},
		{13 * time.Hour, 1}, // the others are older than an hour
	} {
		w.clock.Advance(step.by)
		w.samples(t)
		points := w.points(t, "sale")
		require.Len(t, points, step.want, "%+v", step)
		for i := 1; i < len(points); i++ {
			assert.Greater(t, points[i].At, points[i-1].At)
		}
		assert.Equal(t, w.clock.Now().UnixMilli(), int64(points[len(points)-1].At))
	}
}
