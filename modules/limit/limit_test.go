package limit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/test/kit"
)

var start = time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)

func TestPolicyRoundTrips(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Policy{
		"": {}, "none": {}, "100/1s": {100, time.Second}, "5/1m": {5, time.Minute}, "1/24h": {1, 24 * time.Hour},
		"1000000/1ms": {1_000_000, time.Millisecond},
	} {
		p, err := ParsePolicy(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, p, text)
		again, err := ParsePolicy(p.String())
		require.NoError(t, err)
		assert.Equal(t, p, again)
	}
	for _, text := range []string{
		"100", "/1s", "0/1s", "-1/1s", "1/0s", "1/1", "1/25h", "1/1us",
		"1000001/1s", "1/1s/2", " 1/1s", "x/1s",
	} {
		_, err := ParsePolicy(text)
		require.ErrorIs(t, err, ErrPolicy, text)
	}
}

// TestBucketNeverLetsMorePassThanItsPolicy compares a bucket with a list of all requests that passed: in no
// window of a period are there more than twice the requests, and never more than the requests plus those
// of the time since the start.
func TestBucketNeverLetsMorePassThanItsPolicy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			rapid.IntRange(1, 50).Draw(t, "requests"),
			time.Duration(rapid.IntRange(1, 5000).Draw(t, "ms")) * time.Millisecond,
		}
		b, now, passed := &bucket{}, start, 0
		for range rapid.IntRange(1, 300).Draw(t, "calls") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(p.Period)/10).Draw(t, "after")))
			r, _, _ := b.take(p, notAsked, now)
			if r.Allowed {
				passed++
				assert.Zero(t, r.Retry)
				assert.GreaterOrEqual(t, r.Remaining, 0)
			} else {
				assert.Positive(t, r.Retry)
			}
			most := p.Requests + int(now.Sub(start)/p.interval())
			if passed > most {
				t.Fatalf("%d passed under %s in %s, at most %d may", passed, p, now.Sub(start), most)
			}
		}
	})
}

func TestBucketRoundsThePeriodDownToEqualIntervals(t *testing.T) {
	t.Parallel()
	p, b := Policy{34, time.Millisecond}, &bucket{}
	for range p.Requests {
		r, _, _ := b.take(p, notAsked, start)
		require.True(t, r.Allowed)
	}
	r, _, _ := b.take(p, notAsked, start.Add(p.interval()-1))
	assert.False(t, r.Allowed)
	assert.Equal(t, time.Nanosecond, r.Retry)
	r, _, _ = b.take(p, notAsked, start.Add(p.interval()))
	assert.True(t, r.Allowed)
}

func TestBucketRefillsAfterRetry(t *testing.T) {
	t.Parallel()
	p, b, now := Policy{4, time.Second}, &bucket{}, start
	for want := 3; want >= 0; want-- {
		r, _, _ := b.take(p, notAsked, now)
		assert.True(t, r.Allowed)
		assert.Equal(t, want, r.Remaining)
	}
	r, _, _ := b.take(p, notAsked, now)
	require.False(t, r.Allowed)
	assert.Equal(t, 250*time.Millisecond, r.Retry)
	assert.Equal(t, time.Second, r.Reset)
	r, _, _ = b.take(p, notAsked, now.Add(r.Retry-1))
	assert.False(t, r.Allowed)
	r, _, _ = b.take(p, notAsked, now.Add(250*time.Millisecond))
	assert.True(t, r.Allowed)
}

func TestRefusalsOfAFloodAreDelayedAndThoseOfAPersonAreNot(t *testing.T) {
	t.Parallel()
	p, b, now := Policy{1, time.Hour}, &bucket{}, start
	b.take(p, notAsked, now)
	for i := range 1000 { // 100 at once, and 600 that wait for their answers
		r, _, _ := b.take(p, notAsked, now)
		require.False(t, r.Allowed)
		want := min(max(time.Duration(i+1-promptRefusals)*refusalEvery, 0), maxHold)
		require.Equal(t, want, r.Hold, "refusal %d", i+1)
	}
	now = now.Add(promptRefusals*refusalEvery + maxHold)
	for range promptRefusals {
		r, _, _ := b.take(p, notAsked, now)
		require.Zero(t, r.Hold, "the flood is forgotten")
	}
	r, _, _ := b.take(p, notAsked, now.Add(-time.Hour))
	assert.Zero(t, r.Hold, "a clock that is set back delays nobody")
	slow := &bucket{}
	for range 1000 {
		now = now.Add(refusalEvery)
		r, _, _ := slow.take(p, notAsked, now)
		require.Zero(t, r.Hold)
	}
}

func TestClockThatIsSetBackLocksNoClientOut(t *testing.T) {
	t.Parallel()
	p, b := Policy{2, time.Second}, &bucket{}
	for range 3 {
		b.take(p, notAsked, start)
	}
	b.refuse(p, start, time.Second, 0)
	r, _, _ := b.take(p, notAsked, start.Add(-time.Hour))
	assert.True(t, r.Allowed)
}

// scriptedJudge answers as a test says.
type scriptedJudge struct {
	mu    sync.Mutex
	calls int
	asked int
	allow int

	clients map[string]bool
	retry   time.Duration
	err     error

	instances int
}

func (j *scriptedJudge) Instances() int { return j.instances }

func (j *scriptedJudge) Take(
	_ context.Context, client string, _ int, _ time.Duration, n int,
) (int, time.Duration, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !strings.HasPrefix(client, "user:") {
		return 0, 0, fmt.Errorf("client is %q", client)
	}
	if j.clients == nil {
		j.clients = map[string]bool{}
	}
	j.clients[client] = true
	j.calls++
	j.asked += n
	allowed := min(n, j.allow)
	j.allow -= allowed
	return allowed, j.retry, j.err
}

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newLimiter(p Policy, judge Judge) (*Limiter, *clock, *strings.Builder) {
	c, log := &clock{at: start}, &strings.Builder{}
	return NewLimiter("user", p, judge, c.now, slog.New(slog.NewTextHandler(log, nil))), c, log
}

func TestJudgeIsNotCalledForFewRequestsAndSeldomForMany(t *testing.T) {
	t.Parallel()
	judge := &scriptedJudge{allow: 1000, retry: time.Second}
	l, _, _ := newLimiter(Policy{100, time.Second}, judge)
	for user := range 1000 {
		for range 11 {
			assert.True(t, l.Take(t.Context(), fmt.Sprint("buyer", user)).Allowed)
		}
	}
	assert.Zero(t, judge.calls, "11 requests are less than an eighth of 100")
	passed := 0
	for range 100_000 {
		if l.Take(t.Context(), "robot").Allowed {
			passed++
		}
	}
	assert.Equal(t, 100, passed)
	assert.LessOrEqual(t, judge.calls, 8)
	assert.Equal(t, int64(99_900), l.Refused())
}

func TestTheJudgeIsToldOfAnInstancesPartOfALimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ requests, instances, reported int }{
		{1, 0, 1},
		{1, 1, 1},
		{3, 1, 1},
		{3, 9, 1},
		{4, 0, 2},
		{4, 1, 2},
		{4, 3, 2},
		{10, 0, 2},
		{24, 0, 3},
		{100, 0, 12},
		{10, 1, 5},
		{10, 2, 5},
		{10, 3, 3},
		{10, 20, 2},
		{100, 1, 50},
		{100, 3, 33},
		{100, 20, 5},
		{100, 200, 2},
	} {
		judge := &scriptedJudge{allow: 1000, instances: c.instances}
		l, _, _ := newLimiter(Policy{c.requests, time.Minute}, judge)
		took := 0
		for ; judge.calls == 0; took++ {
			assert.True(t, l.Take(t.Context(), "buyer").Allowed)
		}
		assert.Equal(t, c.reported, took, "%+v", c)
		assert.Equal(t, c.reported, judge.asked, "%+v", c)
	}
}

// TestAFloodOverAllInstancesGetsLessThanTwiceItsLimit sends each request of a client to the next instance.
func TestAFloodOverAllInstancesGetsLessThanTwiceItsLimit(t *testing.T) {
	t.Parallel()
	for _, p := range []Policy{{3, time.Minute}, {10, time.Minute}, {100, time.Minute}, {1000, time.Minute}} {
		for _, instances := range []int{1, 2, 3, 8, 20, 100} {
			c := &clock{at: start}
			judge := &countingJudge{now: c.now, instances: instances}
			all := make([]*Limiter, instances)
			for i := range all {
				all[i] = NewLimiter("user", p, judge, c.now, slog.New(slog.DiscardHandler))
			}
			passed := 0
			for i := range 3 * instances * p.Requests {
				if all[i%instances].Take(t.Context(), "robot").Allowed {
					passed++
				}
			}
			if p.Requests < 4 || instances == 1 {
				assert.Equal(t, p.Requests, passed, "%s, %d instances", p, instances)
				continue
			}
			assert.GreaterOrEqual(t, passed, p.Requests, "%s, %d instances", p, instances)
			assert.LessOrEqual(t, passed, p.Requests+max(p.Requests-1, instances), "%s, %d instances", p, instances)
		}
	}
}

func TestWhatAllInstancesLetPassIsCountedTogether(t *testing.T) {
	t.Parallel()
	judge := &scriptedJudge{allow: 100, retry: 500 * time.Millisecond}
	one, c, _ := newLimiter(Policy{100, time.Second}, judge)
	two := NewLimiter("user", Policy{100, time.Second}, judge, c.now, slog.New(slog.DiscardHandler))
	passed := 0
	for range 300 {
		for _, l := range []*Limiter{one, two} {
			if l.Take(t.Context(), "robot").Allowed {
				passed++
			}
		}
	}
	assert.GreaterOrEqual(t, passed, 100)
	assert.LessOrEqual(t, passed, 100+2*12, "an eighth each, at most")
	r := one.Take(t.Context(), "robot")
	assert.False(t, r.Allowed)
	assert.Equal(t, 500*time.Millisecond, r.Retry, "what the judge said")
	calls := judge.calls
	for range 100 {
		one.Take(t.Context(), "robot")
	}
	assert.Equal(t, calls, judge.calls, "a client that is refused costs no call")
}

// countingJudge counts the requests of one client, as Redis does.
type countingJudge struct {
	counted   bucket
	now       func() time.Time
	instances int
}

func (j *countingJudge) Instances() int { return j.instances }

func (j *countingJudge) Take(
	_ context.Context, _ string, requests int, period time.Duration, n int,
) (allowed int, retry time.Duration, err error) {
	for ; allowed < n; allowed++ {
		if r, _, _ := j.counted.take(Policy{requests, period}, notAsked, j.now()); !r.Allowed {
			return allowed, r.Retry, nil
		}
	}
	return allowed, 0, nil
}

// TestAClientOfManyInstancesGetsNoMoreInTheLongRun spreads the requests of one client over eight instances, so that
// each alone is within the limit, or far beyond.
func TestAClientOfManyInstancesGetsNoMoreInTheLongRun(t *testing.T) {
	t.Parallel()
	const instances, periods = 8, 10
	for _, p := range []Policy{{4, time.Minute}, {10, time.Second}, {100, time.Second}} {
		for _, c := range []struct{ rate, known int }{{1, 0}, {5, 0}, {1, instances}, {5, instances}, {1, 2}, {5, 2}} {
			rate := c.rate // requests that each instance gets while its bucket allows one
			t.Run(fmt.Sprint(p, c), func(t *testing.T) {
				t.Parallel()
				c, known := &clock{at: start}, c.known
				judge := &countingJudge{now: c.now, instances: known}
				var all [instances]*Limiter
				for i := range all {
					all[i] = NewLimiter("user", p, judge, c.now, slog.New(slog.DiscardHandler))
				}
				passed := 0
				for range periods * p.Requests * rate {
					for _, l := range all {
						if l.Take(t.Context(), "robot").Allowed {
							passed++
						}
					}
					c.advance(p.Period / time.Duration(p.Requests*rate))
				}
				most := (1+periods)*p.Requests + instances*(reportAt(p, known)-1)
				assert.LessOrEqual(t, passed, most)
				assert.Greater(t, passed, periods*p.Requests/2, "it gets what it may have")
			})
		}
	}
}

// TestAFloodAtTheSameTimeIsBounded sends the whole limit to each instance at once. While the Judge is asked of a
// client's requests, not more of them pass than it is asked of.
func TestAFloodAtTheSameTimeIsBounded(t *testing.T) {
	t.Parallel()
	for _, requests := range []int{3, 10, 100, 1000} {
		for _, instances := range []int{1, 2, 3, 10} {
			synctest.Test(t, func(t *testing.T) {
				p := Policy{requests, time.Hour}
				judge := &slowJudge{
					countingJudge: countingJudge{now: time.Now, instances: instances}, takes: 2 * time.Millisecond,
				}
				var passed atomic.Int64
				var all sync.WaitGroup
				for range instances {
					l := NewLimiter("user", p, judge, time.Now, slog.New(slog.DiscardHandler))
					for range requests {
						all.Go(func() {
							if l.Take(t.Context(), "robot").Allowed {
								passed.Add(1)
							}
						})
					}
				}
				all.Wait()
				assert.GreaterOrEqual(t, passed.Load(), int64(requests), "%s, %d instances", p, instances)
				most := requests + instances*(2*reportAt(p, instances)-1)
				if requests < 4 || instances == 1 {
					most = requests
				}
				assert.LessOrEqual(t, passed.Load(), int64(most), "%s, %d instances", p, instances)
			})
		}
	}
}

// A town behind one address is within its limit, and sends all its requests at once while Redis is slow.
func TestManyRequestsDoNotWaitLongForASlowJudge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		judge := &slowJudge{
			countingJudge: countingJudge{now: time.Now, instances: 10}, takes: judgeWithin - 10*time.Millisecond,
		}
		log := &strings.Builder{}
		l := NewLimiter("user", Policy{1000, time.Second}, judge, time.Now, slog.New(slog.NewTextHandler(log, nil)))
		began := time.Now()
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() { assert.True(t, l.Take(t.Context(), "town").Allowed) })
		}
		all.Wait()
		assert.LessOrEqual(t, time.Since(began), 2*judgeWithin)
		assert.Empty(t, log.String(), "the judge answers in time")
	})
}

func TestTheEndOfARequestIsNoFailureOfTheJudge(t *testing.T) {
	t.Parallel()
	judge := &scriptedJudge{err: context.Canceled}
	l, _, log := newLimiter(Policy{1, time.Hour}, judge)
	ended, end := context.WithCancel(t.Context())
	end()
	l.Take(ended, "gone")
	l.Take(t.Context(), "buyer")
	assert.Equal(t, 2, judge.calls, "others ask")
	assert.Equal(t, 1, strings.Count(log.String(), "level=WARN"), log.String())
}

// slowJudge answers after a while, one call at a time.
type slowJudge struct {
	mu sync.Mutex
	countingJudge
	takes time.Duration
}

func (j *slowJudge) Take(
	ctx context.Context, client string, requests int, period time.Duration, n int,
) (allowed int, retry time.Duration, err error) {
	kit.Pass(j.takes)
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.countingJudge.Take(ctx, client, requests, period, n)
}

// TestALowerLimitLocksNobodyOut has an operator lower a limit of which a client has used nearly a half.
func TestALowerLimitLocksNobodyOut(t *testing.T) {
	t.Parallel()
	c := &clock{at: start}
	judge := &countingJudge{now: c.now, instances: 1}
	l := NewLimiter("activity_address", Policy{}, judge, c.now, slog.New(slog.DiscardHandler))
	high, low := Policy{1000, time.Minute}, Policy{10, time.Minute}
	for range 499 {
		require.True(t, l.TakeUnder(t.Context(), high, "town").Allowed)
	}
	for {
		r := l.TakeUnder(t.Context(), low, "town")
		if r.Allowed {
			break
		}
		require.Positive(t, r.Retry)
		c.advance(r.Retry)
	}
	assert.LessOrEqual(t, c.now().Sub(start), 2*time.Minute)
}

// Redis keeps when a client's requests are forgotten, but not the interval by which it has counted them.
func TestTheJudgeCountsRequestsUnderAnotherPeriodApart(t *testing.T) {
	t.Parallel()
	judge := &scriptedJudge{allow: 1000}
	l, _, _ := newLimiter(Policy{}, judge)
	for _, p := range []Policy{{1, time.Hour}, {1, time.Second}} {
		assert.True(t, l.TakeUnder(t.Context(), p, "buyer").Allowed)
	}
	assert.Len(t, judge.clients, 2, "%v", judge.clients)
}

// TestAClientWithinItsLimitIsNotRefused compares one instance with a Judge to one without.
func TestAClientWithinItsLimitIsNotRefused(t *testing.T) {
	t.Parallel()
	for _, p := range []Policy{{4, time.Second}, {10, time.Second}, {100, time.Second}} {
		c := &clock{at: start}
		judge := &countingJudge{now: c.now, instances: 1}
		l := NewLimiter("user", p, judge, c.now, slog.New(slog.DiscardHandler))
		take := func(n int, after time.Duration) {
			for range n {
				c.advance(after)
				require.True(t, l.Take(t.Context(), "buyer").Allowed, "%s", p)
			}
		}
		take(reportAt(p, 1)-1, 0)
		c.advance(p.Period + p.Period/20)
		take(p.Requests, 0)
		take(p.Requests, p.interval())

		c.advance(p.Period)
		take(2*p.Requests/5, 0)
		c.advance(35 * p.Period / 100)
		take(9*p.Requests/10, 0)
		take(p.Requests, p.interval())
	}
}

func TestWithoutTheJudgeTheBucketsDecide(t *testing.T) {
	t.Parallel()
	judge := &scriptedJudge{err: errors.New("redis is gone")}
	l, c, log := newLimiter(Policy{10, time.Second}, judge)
	passed := 0
	for range 1000 {
		if l.Take(t.Context(), "robot").Allowed {
			passed++
		}
	}
	assert.Equal(t, 10, passed)
	assert.Equal(t, 1, judge.calls, "it is not asked again at once")
	c.advance(2 * time.Second)
	l.Take(t.Context(), "robot")
	assert.Equal(t, 1, judge.calls, "one request of ten is not worth a call")
	l.Take(t.Context(), "robot")
	assert.Equal(t, 2, judge.calls)
	assert.Equal(t, 1, strings.Count(log.String(), "level=WARN"), log.String())
	judge.err, judge.allow = nil, 0
	c.advance(2 * time.Second)
	assert.True(t, l.Take(t.Context(), "robot").Allowed)
	assert.False(t, l.Take(t.Context(), "robot").Allowed, "the judge decides again")
}

func TestNumberOfClientsIsBounded(t *testing.T) {
	t.Parallel()
	l, _, _ := newLimiter(Policy{1, time.Second}, nil)
	for i := range maxClients + 50_000 {
		l.Take(t.Context(), fmt.Sprint("address", i))
	}
	assert.LessOrEqual(t, l.buckets.Len(), maxClients)
}

// TestACrowdThatComesLateIsLimited has many clients known who come often. Each of the new ones must be known, too.
func TestACrowdThatComesLateIsLimited(t *testing.T) {
	t.Parallel()
	l, _, _ := newLimiter(Policy{1, time.Hour}, nil)
	for range 3 {
		for i := range maxClients {
			l.Take(t.Context(), fmt.Sprint("often", i))
		}
	}
	const crowd = 10_000
	take := func() (passed int) {
		for i := range crowd {
			if l.Take(t.Context(), fmt.Sprint("late", i)).Allowed {
				passed++
			}
		}
		return passed
	}
	assert.Equal(t, crowd, take())
	assert.Zero(t, take(), "second requests that pass")
}

func TestOneBucketIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	l, _, _ := newLimiter(Policy{100, time.Hour}, &scriptedJudge{allow: 1000})
	var mu sync.Mutex
	passed := 0
	kit.Crowd(48, func(int) {
		for range 50 {
			if l.Take(t.Context(), "robot").Allowed {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		}
	})
	assert.Equal(t, 100, passed)
}
