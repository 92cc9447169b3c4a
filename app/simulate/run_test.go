package simulate

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a sale that ten instances and a node of Redis serve without refusing anybody but those who come too late.
func small() Config {
	return Config{
		Visitors: 40_000, Over: 10 * time.Second, Reads: 2, Units: 1000, Sales: 1,
		Instances: 10, Processors: 2, Redis: 1, SQL: 4,
		Think: time.Second, Until: time.Hour, Seed: 1, Costs: MeasuredCosts,
	}
}

// slow makes each order take a node of Redis a millisecond.
func slow() Config {
	c := small()
	c.Units, c.Over, c.Costs.RedisOrder = 30_000, time.Second, time.Millisecond
	return c
}

func simulated(t *testing.T, c Config) *Result {
	t.Helper()
	r, err := Run(c)
	require.NoError(t, err)
	return r
}

func total(counts map[string]int) (sum int) {
	for n := range maps.Values(counts) {
		sum += n
	}
	return sum
}

func TestEachVisitorIsAcceptedRefusedOrWaiting(t *testing.T) {
	t.Parallel()
	room, sales := slow(), slow()
	room.PathsPerSecond = 500
	sales.Sales, sales.Redis = 7, 3
	for name, c := range map[string]Config{"small": small(), "slow": slow(), "room": room, "sales": sales} {
		waited := 0
		for _, until := range []time.Duration{
			50 * time.Millisecond, time.Second, 1500 * time.Millisecond, 4 * time.Second, 20 * time.Second, time.Hour,
		} {
			c.Until = until
			r := simulated(t, c)
			assert.Equal(t, c.Visitors, r.Accepted+total(r.Refused)+r.Waiting, "%s until %s: %+v", name, until, r)
			waited = r.Waiting
		}
		assert.Zero(t, waited, name)
	}
}

func TestASaleSellsItsUnitsAndNoMore(t *testing.T) {
	t.Parallel()
	c := small()
	c.Sales, c.Redis, c.Units = 3, 2, 1001
	r := simulated(t, c)
	assert.Equal(t, 1001, r.Accepted)
	assert.Equal(t, map[string]int{"sold_out": c.Visitors - 1001}, r.Refused)
	assert.Greater(t, r.LastStoredS, r.LastAcceptedS)
	c.Units = 0
	assert.Zero(t, simulated(t, c).Accepted)
	c.Units = 2 * c.Visitors
	assert.Equal(t, c.Visitors, simulated(t, c).Accepted)
}

func TestARunIsRepeatableBySeed(t *testing.T) {
	t.Parallel()
	c := slow()
	first := simulated(t, c)
	assert.Equal(t, first, simulated(t, c))
	c.Seed = 2
	assert.NotEqual(t, first, simulated(t, c))
}

func TestASlowRedisIsTheBoundAndRefusesWhatItCantPlaceInTime(t *testing.T) {
	t.Parallel()
	r := simulated(t, slow())
	assert.Equal(t, "redis", r.Bound)
	assert.InDelta(t, 1, r.Stations[1].Peak, 0.01)
	assert.LessOrEqual(t, r.PeakAccepted, 1000+maxCall, "a call may begin in the second before")
	assert.Positive(t, r.Refused["overloaded"])
	assert.Less(t, r.SubmitP99MS, 2500.0, "0.8 s in the instance, 0.8 s at Redis, and the calls of that moment")
	fast := small()
	assert.Less(t, simulated(t, fast).SubmitP99MS, 10.0)
}

func TestSalesOnSeveralNodesAreAcceptedFaster(t *testing.T) {
	t.Parallel()
	c := slow()
	c.Sales = 4
	one := simulated(t, c)
	c.Redis = 4
	assert.InEpsilon(t, 4*one.PeakAccepted, simulated(t, c).PeakAccepted, 0.2)
	c.Sales = 1
	assert.InEpsilon(t, one.PeakAccepted, simulated(t, c).PeakAccepted, 0.2, "one sale is on one node")
}

func TestAWaitingRoomAdmitsAtItsRate(t *testing.T) {
	t.Parallel()
	c := small()
	c.PathsPerSecond, c.Units = 300, c.Visitors
	c.Until = 20 * time.Second
	r := simulated(t, c)
	assert.InDelta(t, 300*20, r.Paths, 310)
	assert.Positive(t, r.Waiting)
	c.Until, c.Units = time.Hour, 1000
	r = simulated(t, c)
	assert.Less(t, r.Paths, 1000+3*300, "hardly more paths than units")
	assert.Equal(t, c.Visitors, r.Accepted+r.Refused["sold_out"])
}

func TestInstancesThatAreTooFewLetClientsTimeOut(t *testing.T) {
	t.Parallel()
	c := small()
	c.Instances, c.Processors, c.Over, c.Costs.Read = 1, 1, time.Second, time.Millisecond
	r := simulated(t, c)
	assert.Greater(t, r.Refused["timed_out"], c.Visitors/2)
	assert.InDelta(t, 1, r.Stations[0].Peak, 0.01)
}

// The burst of 2026-11-22 had 26,674 orders/s on two processors, on which the program, Redis, MariaDB and the load
// generator ran; docs/results/2026-11-22.md has the processor time that each took.
func TestTheBurstThatWasMeasuredIsSimulated(t *testing.T) {
	t.Parallel()
	const program, redis, mariadb, generator = 40, 18, 11, 14
	c := Config{
		Visitors: 20_000, Over: time.Millisecond, Reads: 1, Units: 20_000, Sales: 1,
		Instances: 1, Processors: 2, Redis: 1, SQL: 2, Until: time.Minute, Seed: 1, Costs: Costs{
			Submit: (program + redis + mariadb + generator) * time.Microsecond, RedisOrder: redis * time.Microsecond,
		},
	}
	r := simulated(t, c)
	require.Equal(t, 20_000, r.Accepted)
	assert.InEpsilon(t, 26_674, 20_000/r.LastAcceptedS, 0.15)
}

func TestArrivalsAreASpikeWithATail(t *testing.T) {
	t.Parallel()
	a := newArrivals(10_000, 5, newRandom(1))
	var times []float64
	for ; a.at != never; a.next() {
		assert.Equal(t, 10_000-len(times), a.left())
		times = append(times, a.at)
	}
	require.Len(t, times, 10_000)
	assert.True(t, slices.IsSorted(times))
	within := func(from, to float64) int {
		return len(slices.DeleteFunc(slices.Clone(times), func(at float64) bool { return at < from || at >= to }))
	}
	assert.Equal(t, 8000, within(0, 5))
	assert.InDelta(t, 1600, within(2, 3), 120)
	assert.InDelta(t, 2000*0.632, within(5, 10), 100, "the tail has 1-1/e of its visitors in the first 5 s")
}

func TestTheCalendarReturnsEachVisitWhenItIsDue(t *testing.T) {
	t.Parallel()
	random := newRandom(1)
	c := &calendar{}
	now, planned := 0.0, 0
	var due []float64 // sorted
	for planned < 5000 || len(due) > 0 {
		if at := c.at(); planned == 5000 || at < never && random.IntN(2) == 0 {
			require.NotEmpty(t, due)
			require.InDelta(t, due[0], at, 3*slotSeconds)
			now, due = max(now, at), due[1:]
			c.next()
			continue
		}
		at := now + 12*random.Float64()*random.Float64()
		c.add(stage(random.IntN(int(stages))), at)
		i, _ := slices.BinarySearch(due, at)
		due = slices.Insert(due, i, at)
		planned++
	}
	assert.Zero(t, c.visits)
}
