package queue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestOrdersAreGatheredWhileACrowdPlaces(t *testing.T) {
	t.Parallel()
	const all = everything
	type look struct {
		length  int64
		running bool
		due     int64
	}
	for name, test := range map[string]struct {
		within time.Duration
		most   int64
		looks  []look // 50 ms apart
	}{
		"at once": {0, 0, []look{{5000, false, all}, {10000, false, all}}},
		"a few":   {time.Second, 0, []look{{5, false, 5}, {8, false, 8}, {0, false, 0}, {19, false, 19}}},
		"idle":    {time.Second, 0, []look{{0, false, 0}, {0, false, 0}}},
		"is over": {time.Second, 0, []look{
			{500, false, 0}, {1000, false, 0}, {1010, false, 1010}, {600, true, 0}, {0, false, 0},
		}},
		"is short": {time.Second, 0, []look{{500, false, 0}, {0, false, 0}, {500, false, 0}, {500, false, 500}}},
		"comes after a few": {time.Second, 0, []look{
			{10, false, 10}, {100, true, 0}, {200, false, 0}, {300, false, 0}, {300, false, 300},
		}},
		"goes on": {150 * time.Millisecond, 0, []look{
			{100, false, 0},
			{200, false, 0},
			{300, false, 0},
			{400, false, 400},
			{450, true, 0},
			{200, true, 0},
			{300, false, 300}, // 150 ms after the look at which 400 were due
			{320, true, 0},
			{340, false, 0},
			{360, false, 360},
		}},
		"fills the queue": {time.Hour, 250, []look{
			{100, false, 0}, {200, false, 0}, {300, false, 300}, {200, true, 0}, {240, false, 0}, {280, false, 280},
		}},
		"ends while it is moved": {100 * time.Millisecond, 0, []look{
			{100, false, 0}, {200, false, 0}, {300, false, 300}, {250, true, 0}, {60, true, 0}, {60, false, 60},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gathering{within: test.within, most: test.most}
			now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
			for i, l := range test.looks {
				due, _ := g.due(l.length, l.running, now)
				assert.Equal(t, l.due, due, "look %d", i)
				now = now.Add(50 * time.Millisecond)
			}
		})
	}
}

// TestNoOrderIsDueLaterThanWithin has orders come in any way, and runs that take up to some looks.
func TestNoOrderIsDueLaterThanWithin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const every = 50 * time.Millisecond
		g := gathering{within: time.Duration(rapid.IntRange(1, 40).Draw(t, "within")) * every}
		start := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
		var queue []time.Time // when the orders came
		runs, moving := 0, 0  // looks until the run ends, and how many orders it moves
		ran := time.Duration(0)
		for look := range 200 {
			now := start.Add(time.Duration(look) * every)
			for range rapid.SampledFrom([]int{0, 0, 1, 5, 19, 20, 30, 300}).Draw(t, "come") {
				queue = append(queue, now.Add(-every)) // at the earliest
			}
			if runs--; runs <= 0 {
				queue, moving = queue[moving:], 0
			} else {
				ran += every
			}
			due, _ := g.due(int64(len(queue)), moving > 0, now)
			if due > 0 {
				require.LessOrEqual(t, now.Sub(queue[0]), g.within+2*every+ran, "look %d", look)
				moving, runs, ran = int(due), rapid.IntRange(1, 5).Draw(t, "run"), 0
			} else if moving == 0 && len(queue) > 0 {
				require.Less(t, now.Sub(queue[0]), g.within+2*every+ran, "look %d", look)
			}
		}
	})
}

func TestNoOrderWaitsLongerWhereTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	g := gathering{within: time.Second}
	now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
	assert.Zero(t, dueOf(&g, 100, now))
	assert.EqualValues(t, 200, dueOf(&g, 200, now.Add(-time.Hour)))
}

func TestACrowdIsARateHoweverRareTheLooksAre(t *testing.T) {
	t.Parallel()
	g := gathering{within: time.Hour}
	now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
	assert.EqualValues(t, 10, dueOf(&g, 10, now))
	assert.EqualValues(t, 310, dueOf(&g, 310, now.Add(time.Second)), "300 in a second are no crowd")
	assert.Zero(t, dueOf(&g, 810, now.Add(2*time.Second)))
	assert.Zero(t, dueOf(&g, 830, now.Add(2*time.Second+time.Millisecond)), "two looks at once")
}

func dueOf(g *gathering, length int64, now time.Time) int64 {
	due, _ := g.due(length, false, now)
	return due
}

func TestMovingLeavesProcessorTimeToACrowdOnly(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
	g := gathering{within: time.Second, most: 20_000}
	for _, look := range []struct {
		after  time.Duration
		length int64
		due    int64
		crowd  bool
	}{
		{0, 10, 10, false},
		{time.Second, 5000, 0, true},
		{2 * time.Second, 10_000, 10_000, true},
		{3 * time.Second, 25_000, 25_000, false}, // or the queue becomes full
		{4 * time.Second, 25_100, 25_100, false}, // the crowd is gone
	} {
		due, crowd := g.due(look.length, false, now.Add(look.after))
		assert.Equal(t, look.due, due, look.after)
		assert.Equal(t, look.crowd, crowd, look.after)
	}
}
