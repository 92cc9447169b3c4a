package human

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
)

// rate counts challenges of an activity at a rate for some seconds and returns the last factor.
func (l *loads) rate(clock *kit.Clock, activity string, perSecond, seconds int) (factor float64) {
	for range perSecond * seconds {
		factor = l.count(activity, clock.Advance(time.Second/time.Duration(perSecond)))
	}
	return factor
}

func TestDifficultyFollowsTheRateOfTheActivity(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(start)
	l := newLoads(100)
	assert.InDelta(t, 1, l.rate(clock, "sale", 100, 20), 0.02)
	assert.InDelta(t, 2, l.rate(clock, "sale", 200, 20), 0.05)
	assert.InDelta(t, 4, l.rate(clock, "sale", 400, 20), 0.1)
	assert.InDelta(t, 1, l.rate(clock, "calm", 10, 2), 0, "another activity")
	assert.InDelta(t, maxFactor, l.rate(clock, "sale", 5000, 20), 0, "bounded")
	clock.Advance(2 * loadWindow)
	assert.InDelta(t, 1, l.count("sale", clock.Now()), 0, "the crowd has gone")
	clock.Advance(-time.Hour)
	assert.InDelta(t, 1, l.count("sale", clock.Now()), 0, "a clock that went back")
}

func TestChallengesGetHarderUnderLoad(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(start)
	p := newPow(t, PowConfig{CalmRate: 10}, &nonceSet{}, clock)
	first := challenge(t, p, alice)
	var last Challenge
	for range 400 {
		clock.Advance(25 * time.Millisecond)
		last = challenge(t, p, alice)
	}
	assert.EqualValues(t, 2*minDifficulty, first.MaxNumber)
	assert.InEpsilon(t, 4*first.MaxNumber, last.MaxNumber, 0.05)
	text := encode(last, solve(t, last), nil)
	assert.NoError(t, p.Verify(t.Context(), alice, text))
}

func TestLoadsAreBounded(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(start)
	l := newLoads(1)
	for i := range 3 * maxLoads {
		l.count(fmt.Sprint("activity", i), clock.Now())
	}
	assert.Len(t, l.activities, maxLoads)
	clock.Advance(3 * loadWindow)
	l.count("new", clock.Now())
	assert.Len(t, l.activities, 1, "idle ones make room")
}
