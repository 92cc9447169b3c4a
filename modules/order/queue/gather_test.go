package queue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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
		looks  []look // 50 ms apart
	}{
		"at once": {0, []look{{5000, false, all}, {10000, false, all}}},
		"a few":   {time.Second, []look{{5, false, all}, {8, false, all}, {0, false, 0}, {19, false, all}}},
		"idle":    {time.Second, []look{{0, false, 0}, {0, false, 0}}},
		"is over": {time.Second, []look{
			{500, false, 0}, {1000, false, 0}, {1010, false, all}, {600, true, 0}, {0, false, 0},
		}},
		"is short": {time.Second, []look{{500, false, 0}, {0, false, 0}, {500, false, 0}, {500, false, all}}},
		"goes on": {150 * time.Millisecond, []look{
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
		"ends while it is moved": {100 * time.Millisecond, []look{
			{100, false, 0}, {200, false, 0}, {300, false, 300}, {250, true, 0}, {60, true, 0}, {60, false, all},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gathering{within: test.within}
			now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
			for i, l := range test.looks {
				assert.Equal(t, l.due, g.due(l.length, l.running, now), "look %d", i)
				now = now.Add(50 * time.Millisecond)
			}
		})
	}
}

func TestNoOrderWaitsLongerWhereTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	g := gathering{within: time.Second}
	now := time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)
	assert.Zero(t, g.due(100, false, now))
	assert.EqualValues(t, 200, g.due(200, false, now.Add(-time.Hour)))
}
