package queue

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestOrdersAreGatheredWhileACrowdPlaces(t *testing.T) {
	t.Parallel()
	const all = everything
	type at struct {
		look

		due int64
	}
	idle := func(length, due int64) at { return at{look{length: length}, due} }
	moving := func(length int64) at { return at{look{length: length, running: true}, 0} }
	for name, test := range map[string]struct {
		within time.Duration
		most   int64
		looks  []at // 50 ms apart
	}{
		"at once": {0, 0, []at{idle(5000, all), idle(10000, all)}},
		"a few":   {time.Second, 0, []at{idle(5, 5), idle(8, 8), idle(0, 0), idle(19, 19)}},
		"idle":    {time.Second, 0, []at{idle(0, 0), idle(0, 0)}},
		"is over": {time.Second, 0, []at{
			idle(500, 0), idle(1000, 0), idle(1010, 1010), moving(600), idle(0, 0),
		}},
		"is short": {time.Second, 0, []at{idle(500, 0), idle(0, 0), idle(500, 0), idle(500, 500)}},
		"comes after a few": {time.Second, 0, []at{
			idle(10, 10), moving(100), idle(200, 0), idle(300, 0), idle(300, 300),
		}},
		"goes on": {150 * time.Millisecond, 0, []at{
			idle(100, 0),
			idle(200, 0),
			idle(300, 0),
			idle(400, 400),
			moving(450),
			moving(200),
			idle(300, 300), // 150 ms after the look at which 400 were due
			moving(320),
			idle(340, 0),
			idle(360, 360),
		}},
		"fills the queue": {time.Hour, 250, []at{
			idle(100, 0), idle(200, 0), idle(300, 300), moving(200), idle(240, 0), idle(280, 280),
		}},
		"ends while it is moved": {100 * time.Millisecond, 0, []at{
			idle(100, 0), idle(200, 0), idle(300, 300), moving(250), moving(60), idle(60, 60),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gathering{within: test.within, most: test.most}
			now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
			for i, l := range test.looks {
				assert.Equal(t, l.due, g.due([]look{l.look}, now)[0].most, "look %d", i)
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
		moved := int64(0)     // by the last run, until a look has seen it
		ran := time.Duration(0)
		for turn := range 200 {
			now := start.Add(time.Duration(turn) * every)
			for range rapid.SampledFrom([]int{0, 0, 1, 5, 19, 20, 30, 300}).Draw(t, "come") {
				queue = append(queue, now.Add(-every)) // at the earliest
			}
			if runs--; runs <= 0 {
				queue, moved, moving = queue[moving:], moved+int64(moving), 0
			} else {
				ran += every
			}
			seen := look{length: int64(len(queue)), running: moving > 0}
			if !seen.running {
				seen.moved, moved = moved, 0
			}
			due := g.due([]look{seen}, now)[0].most
			if due > 0 {
				require.LessOrEqual(t, now.Sub(queue[0]), g.within+2*every+ran, "look %d", turn)
				moving, runs, ran = int(due), rapid.IntRange(1, 5).Draw(t, "run"), 0
			} else if moving == 0 && len(queue) > 0 {
				require.Less(t, now.Sub(queue[0]), g.within+2*every+ran, "look %d", turn)
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
	return g.due(lengths(length), now)[0].most
}

func TestMovingLeavesProcessorTimeToACrowdOnly(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
	g := gathering{within: time.Second, most: 20_000}
	for _, seen := range []struct {
		after  time.Duration
		length int64
		due    dueOrders
	}{
		{0, 10, dueOrders{10, false}},
		{time.Second, 5000, dueOrders{}},
		{2 * time.Second, 10_000, dueOrders{10_000, true}},
		{3 * time.Second, 25_000, dueOrders{25_000, false}}, // or the queue becomes full
		{4 * time.Second, 25_100, dueOrders{25_100, false}}, // the crowd is gone
	} {
		assert.Equal(t, seen.due, g.due(lengths(seen.length), now.Add(seen.after))[0], seen.after)
	}
}

// TestACrowdIsNoticedHoweverManyLanesItIsSpreadOver has 16 lanes that each grow by too little to be a crowd's.
func TestACrowdIsNoticedHoweverManyLanesItIsSpreadOver(t *testing.T) {
	t.Parallel()
	g := gathering{within: time.Second}
	now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
	few := func(n int64) (looks []look) {
		for range 16 {
			looks = append(looks, look{length: n})
		}
		return append(looks, look{length: unknown}, look{length: 3, running: true})
	}
	first := g.due(few(2), now) // 32 in 50 ms
	assert.Equal(t, make([]dueOrders, 18), first)
	alone := append(lengths(4), few(2)[1:]...) // 2 in 50 ms
	second := g.due(alone, now.Add(50*time.Millisecond))
	assert.Equal(t, dueOrders{most: 4}, second[0])
	assert.Equal(t, dueOrders{most: 2}, second[15])
	assert.Equal(t, dueOrders{}, second[16])
	assert.Equal(t, dueOrders{}, second[17])
}

// TestACrowdIsNoticedWhileItsLanesAreMoved has 16 lanes, of which each gets 6 orders from one look to the next.
func TestACrowdIsNoticedWhileItsLanesAreMoved(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
	all := func(l look) []look { return slices.Repeat([]look{l}, 16) }
	crowd := func() *gathering {
		g := &gathering{within: time.Second}
		require.Equal(t, make([]dueOrders, 16), g.due(all(look{length: 6}), now))
		for i := range 20 {
			now = now.Add(50 * time.Millisecond)
			g.due(all(look{length: int64(12 + 6*i)}), now)
		}
		return g
	}

	g := crowd() // 126 were due
	now = now.Add(50 * time.Millisecond)
	looks := all(look{length: 100, running: true})
	looks[3] = look{length: 6, moved: 126}
	assert.Equal(t, make([]dueOrders, 16), g.due(looks, now), "one run is over")

	g = crowd()
	now = now.Add(50 * time.Millisecond)
	assert.Equal(t, make([]dueOrders, 16), g.due(all(look{length: 6}), now), "another instance has moved them")
	now = now.Add(50 * time.Millisecond)
	assert.Equal(t, slices.Repeat([]dueOrders{{most: 6}}, 16), g.due(all(look{length: 6}), now), "it is over")

	g = &gathering{within: time.Second}
	assert.Equal(t, slices.Repeat([]dueOrders{{most: 1}}, 16), g.due(all(look{length: 1}), now), "no crowd yet")
	now = now.Add(50 * time.Millisecond)
	assert.Equal(t, make([]dueOrders, 16), g.due(all(look{length: 2, moved: 1}), now), "a run between two looks")
}

// lengths are looks at lanes that are not being moved.
func lengths(of ...int64) (looks []look) {
	for _, n := range of {
		looks = append(looks, look{length: n})
	}
	return looks
}
