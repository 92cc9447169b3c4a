package drill

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func planned(seed uint64) *Plan {
	return newPlan(&Config{Scenario: Rush, Buyers: 2000, Over: 10 * time.Second, Seed: seed})
}

func TestEqualSeedsHaveEqualPlans(t *testing.T) {
	t.Parallel()
	first, again := planned(1), planned(1)
	assert.Equal(t, first, again)
	assert.NotEqual(t, planned(1), planned(2))
}

func TestARushHasItsCrowdInTheFirstTenth(t *testing.T) {
	t.Parallel()
	p := planned(3)
	early, first, late := 0, 0, 0
	acts := map[Then]int{}
	for _, v := range p.Visitors {
		switch {
		case v.At < 0:
			early++
		case v.At < time.Second:
			first++
		default:
			late++
		}
		assert.LessOrEqual(t, v.At, 10*time.Second)
		for _, i := range v.Orders {
			acts[i.Then]++
		}
	}
	assert.InDelta(t, 2000*0.17, early, 80, "a twentieth, and those who want too much")
	assert.InDelta(t, 2000*0.61, first, 100)
	assert.InDelta(t, 2000*0.22, late, 80)
	assert.Len(t, acts, len(thens), "each act is planned")
}

func TestTheSharesOfAPlanAreAWhole(t *testing.T) {
	t.Parallel()
	sum := 0
	for _, s := range thens {
		sum += s.percent
	}
	assert.Equal(t, 100, sum)
	sum = 0
	for _, s := range submits {
		sum += s.percent
	}
	assert.Equal(t, 100, sum)
}

func TestClassicRefusesThreeParts(t *testing.T) {
	t.Parallel()
	c := Config{Scenario: Classic, Buyers: 3000}
	assert.Equal(t, []part{{1000, 200}, {1000, 30}, {1000, 10}}, c.parts())
}
