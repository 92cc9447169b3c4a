package human

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/test/kit"
)

// rate counts solved challenges of an activity at a rate for some seconds and returns the factor.
func (l *loads) rate(clock *kit.Clock, activity string, perSecond, seconds int) (factor float64) {
	for range perSecond * seconds {
		l.count(activity, clock.Advance(time.Second/time.Duration(perSecond)))
	}
	return l.factor(activity, clock.Now())
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
	assert.InDelta(t, 1, l.factor("sale", clock.Now()), 0, "the crowd has gone")
	clock.Advance(-time.Hour)
	assert.InDelta(t, 1, l.factor("sale", clock.Now()), 0, "a clock that went back")
	assert.InDelta(t, 1, l.factor("none", clock.Now()), 0, "an activity without any")
}

// crowd lets users solve challenges at a rate for some seconds.
func crowd(t *testing.T, p *Pow, clock *kit.Clock, perSecond, seconds int) {
	t.Helper()
	for range perSecond * seconds {
		clock.Advance(time.Second / time.Duration(perSecond))
		require.NoError(t, p.Verify(t.Context(), alice, answer(t, p, alice)))
	}
}

func TestChallengesGetHarderUnderLoad(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(start)
	p := newPow(t, PowConfig{CalmRate: 1}, &nonceSet{}, clock)
	first := challenge(t, p, alice)
	crowd(t, p, clock, 4, 10)
	last := challenge(t, p, alice)
	assert.EqualValues(t, 2*minDifficulty, first.MaxNumber)
	assert.InEpsilon(t, 4*first.MaxNumber, last.MaxNumber, 0.1)
	text := encode(last, solve(t, last), nil)
	require.NoError(t, p.Verify(t.Context(), alice, text))
}

// A client that fetches challenges does no work; if that made them harder, a few accounts could do it to all buyers.
func TestChallengesThatNobodySolvesMakeThemNoHarder(t *testing.T) {
	t.Parallel()
	clock, nonces := kit.NewClock(start), &nonceSet{}
	p := newPow(t, PowConfig{CalmRate: 1}, nonces, clock)
	used := answer(t, p, alice)
	require.NoError(t, p.Verify(t.Context(), alice, used))
	for range 400 {
		clock.Advance(25 * time.Millisecond)
		c := challenge(t, p, alice)
		assert.EqualValues(t, 2*minDifficulty, c.MaxNumber)
		wrong := encode(c, c.MaxNumber+1, nil)
		for _, text := range []string{wrong, used} {
			assert.Equal(t, CodeFailed, problem.CodeOf(p.Verify(t.Context(), alice, text)))
		}
	}
}

func TestAnEasyChallengeIsRefusedOnceTheyHaveBecomeHard(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(start)
	p := newPow(t, PowConfig{CalmRate: 1}, &nonceSet{}, clock)
	collected := []string{answer(t, p, alice), answer(t, p, alice)}
	clock.Advance(time.Minute)
	require.NoError(t, p.Verify(t.Context(), alice, collected[0]), "while they are easy")
	recent := answer(t, p, alice)
	crowd(t, p, clock, 8, 4)
	require.NoError(t, p.Verify(t.Context(), alice, recent), "a slow client's")
	crowd(t, p, clock, 8, 4)
	err := p.Verify(t.Context(), alice, collected[1])
	assert.Equal(t, CodeFailed, problem.CodeOf(err))
	require.ErrorContains(t, err, "too easy")
	require.NoError(t, p.Verify(t.Context(), alice, answer(t, p, alice)), "a new one")
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
