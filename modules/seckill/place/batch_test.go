package place

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/gather"
	"onrush/modules/problem"
	"onrush/test/kit"
)

const (
	placeSoon = 10 * time.Second
	placeTick = time.Millisecond
)

// gate lets calls of scripts through one by one, and notes how many orders each carries.
type gate struct {
	arrived chan int   // orders of a call that waits
	pass    chan error // what becomes of it: nil lets it through
}

func (g *gate) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (g *gate) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		orders := 0
		for _, cmd := range cmds {
			if cmd.Name() != "evalsha" {
				return next(ctx, cmds)
			}
			orders += ordersOf(cmd)
		}
		g.arrived <- orders
		if err := <-g.pass; err != nil {
			for _, cmd := range cmds {
				cmd.SetErr(err)
			}
			return err
		}
		return next(ctx, cmds)
	}
}

// ordersOf returns how many orders a call of the script has.
func ordersOf(cmd redis.Cmder) int {
	keys, _ := strconv.Atoi(fmt.Sprint(cmd.Args()[2]))
	if len(cmd.Args()) <= 3+keys+7 {
		return 0 // another script
	}
	orders, _ := strconv.Atoi(fmt.Sprint(cmd.Args()[3+keys+8]))
	return orders
}

func (g *gate) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "evalsha" {
			return next(ctx, cmd)
		}
		g.arrived <- ordersOf(cmd)
		if err := <-g.pass; err != nil {
			cmd.SetErr(err)
			return err
		}
		return next(ctx, cmd)
	}
}

// counter is a placer over a sale of plenty of "lamp" whose calls wait at a gate.
type counter struct {
	*Placer

	gate   *gate
	stores *kit.Stores
}

const (
	placeLane     = 2
	placeActivity = "a1"
)

func newCounter(t *testing.T, stores *kit.Stores, cfg Config, now func() time.Time) *counter {
	t.Helper()
	ctx := t.Context()
	keys := stores.Keys
	require.NoError(t, stores.Redis.HSet(ctx, keys.Meta(placeLane, placeActivity), "state", "open", "epoch", 1,
		"starts_ms", 1, "ends_ms", time.Now().Add(time.Hour).UnixMilli()).Err())
	require.NoError(t, stores.Redis.HSet(ctx, keys.Stock(placeLane, placeActivity), "lamp", 1000, "lamp~0", 1000).Err())
	// The script is known, so that each call is one command.
	warm := newPlacer(t, Config{Within: time.Minute}, lua.New(stores.Redis, keys), time.Now)
	_, err := warm.inBatch(ctx, &Sale{Activity: placeActivity, Lane: placeLane},
		lua.PlaceOrder{Task: "warm", Digest: "d"})
	require.NoError(t, err)

	g := &gate{arrived: make(chan int), pass: make(chan error)}
	rdb := stores.ConnectRedis(t)
	rdb.AddHook(g)
	cfg.Within = time.Minute
	return &counter{
		gate: g, stores: stores,
		Placer: newPlacer(t, cfg, lua.New(rdb, keys), now),
	}
}

func newPlacer(t *testing.T, cfg Config, s *lua.Scripts, now func() time.Time) *Placer {
	t.Helper()
	p, err := NewPlacer(cfg, Deps{
		Lua: s, Clock: clock.New(now), Placed: func(int, string, int) {}, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return p
}

// changed is an activity that was changed.
type changed struct{}

func (changed) Changed() map[string]string { return map[string]string{"limit": "1"} }
func (changed) PermitSKUs() []string       { return nil }

func orderNamed(name string) lua.PlaceOrder {
	return lua.PlaceOrder{
		Task: "task" + name, Digest: "d", Number: "77" + name, User: "u" + name, SKU: "lamp", Point: "0", Quantity: 1,
		Entry: "77" + name + "_1_" + placeActivity + "_u" + name, Record: []byte("{}"),
	}
}

// placingCall is one order that waits.
type placingCall struct {
	result chan answer
	cancel context.CancelFunc
}

func (c *counter) place(t *testing.T, name string) *placingCall {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &placingCall{result: make(chan answer, 1), cancel: cancel}
	t.Cleanup(cancel)
	go func() {
		r, err := c.inBatch(ctx, &Sale{Activity: placeActivity, Lane: placeLane}, orderNamed(name))
		p.result <- answer{r, err}
	}()
	return p
}

// waits holds until so many wait for the next batch.
func (c *counter) waits(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		waiting, loops := c.calls.Waiting(placeLane)
		return loops > 0 && waiting == n
	}, placeSoon, placeTick)
}

func (c *counter) placed(t *testing.T, name string) bool {
	t.Helper()
	known, err := c.stores.Redis.HExists(t.Context(), c.stores.Keys.Tasks(placeLane, placeActivity),
		"task"+name).Result()
	require.NoError(t, err)
	return known
}

func TestOrdersThatWaitTogetherShareCallsOfBoundedSize(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{Batch: 4}, time.Now)
		all := []*placingCall{c.place(t, "0")}
		assert.Equal(t, 1, <-c.gate.arrived, "an idle line adds no delay")
		for i := range 10 {
			all = append(all, c.place(t, strconv.Itoa(i+1)))
		}
		c.waits(t, 10)
		c.gate.pass <- nil
		for _, want := range []int{4, 4, 2} {
			assert.Equal(t, want, <-c.gate.arrived)
			c.gate.pass <- nil
		}
		numbers := map[string]bool{}
		for _, p := range all {
			a := <-p.result
			require.NoError(t, a.err)
			assert.Equal(t, lua.Placed, a.result.Code)
			numbers[a.result.Number] = true
		}
		assert.Len(t, numbers, 11, "each has its own answer")
		require.Eventually(t, func() bool { return c.loops() == 0 }, placeSoon, placeTick, "an idle line is given up")
	})
}

// loops returns how many loops place orders.
func (c *counter) loops() int {
	_, loops := c.calls.Waiting(placeLane)
	return loops
}

// twoCalls places one order, and so many that a second call is sent beside the first. Both wait at the gate.
func (c *counter) twoCalls(t *testing.T) (all []*placingCall) {
	t.Helper()
	all = append(all, c.place(t, "0"))
	require.Equal(t, 1, <-c.gate.arrived)
	for i := range secondCallFrom - 1 {
		all = append(all, c.place(t, strconv.Itoa(i+1)))
	}
	c.waits(t, secondCallFrom-1)
	require.Equal(t, 1, c.loops(), "few wait")
	all = append(all, c.place(t, strconv.Itoa(secondCallFrom)))
	require.Equal(t, secondCallFrom, <-c.gate.arrived)
	require.Equal(t, 2, c.loops())
	return all
}

func TestManyWaitingOrdersGetASecondCallAndNoThird(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{}, time.Now)
		all := c.twoCalls(t)
		for range 2 * secondCallFrom {
			all = append(all, c.place(t, strconv.Itoa(len(all))))
		}
		c.waits(t, 2*secondCallFrom)
		require.Equal(t, 2, c.loops())
		c.gate.pass <- nil // one of the two; its loop takes those that wait
		require.Equal(t, 2*secondCallFrom, <-c.gate.arrived)
		c.gate.pass <- nil // one call is left, and no order waits
		require.Eventually(t, func() bool { return c.loops() == 1 }, placeSoon, placeTick)
		all = append(all, c.place(t, "last"))
		c.waits(t, 1)
		require.Equal(t, 1, c.loops(), "an order that comes while a loop runs waits for it")
		c.gate.pass <- nil
		require.Equal(t, 1, <-c.gate.arrived)
		c.gate.pass <- nil
		for _, p := range all {
			a := <-p.result
			require.NoError(t, a.err)
			require.Equal(t, lua.Placed, a.result.Code)
		}
		require.Eventually(t, func() bool { return c.loops() == 0 }, placeSoon, placeTick)
	})
}

func TestTwoCallsOfWhichOneFailsEndLikeOne(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{}, time.Now)
		all := c.twoCalls(t)
		broken := errors.New("the connection broke")
		c.gate.pass <- broken
		require.Eventually(t, func() bool { return c.loops() == 1 }, placeSoon, placeTick)
		stopped := make(chan error, 1)
		go func() { stopped <- c.Stop(context.WithoutCancel(t.Context())) }()
		left, leave := context.WithCancel(t.Context())
		leave() // so that nothing is placed before it stops
		require.Eventually(t, func() bool {
			_, err := c.inBatch(left, &Sale{Activity: "another", Lane: placeLane}, orderNamed("x"))
			return errors.Is(err, errStopping)
		}, placeSoon, placeTick)
		select {
		case <-stopped:
			t.Fatal("it stopped beside a call")
		default:
		}
		c.gate.pass <- nil
		require.NoError(t, <-stopped)
		require.Zero(t, c.loops())
		failed := 0
		for _, p := range all {
			if a := <-p.result; a.err != nil {
				require.ErrorIs(t, a.err, gather.ErrUnknown)
				require.ErrorIs(t, a.err, broken)
				failed++
			}
		}
		require.Contains(t, []int{1, secondCallFrom}, failed)
	})
}

// A buyer repeats a submit while its first call is under way; the second call may be faster.
func TestARepetitionInASecondCallGetsTheSameOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{}, time.Now)
		first := c.place(t, "0")
		require.Equal(t, 1, <-c.gate.arrived)
		again := c.place(t, "0")
		c.waits(t, 1)
		for i := range secondCallFrom - 1 {
			c.place(t, strconv.Itoa(i+1))
		}
		require.Equal(t, secondCallFrom, <-c.gate.arrived)
		c.gate.pass <- nil
		c.gate.pass <- nil
		a, b := <-first.result, <-again.result
		require.NoError(t, errors.Join(a.err, b.err))
		require.ElementsMatch(t, []lua.PlaceCode{lua.Placed, lua.Replayed},
			[]lua.PlaceCode{a.result.Code, b.result.Code})
		require.Equal(t, a.result.Number, b.result.Number)
	})
}

func TestTooManyWaitingOrdersAreOverload(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{MaxWaiting: 3}, time.Now)
		all := []*placingCall{c.place(t, "0")}
		<-c.gate.arrived
		for i := range 3 {
			all = append(all, c.place(t, strconv.Itoa(i+1)))
		}
		c.waits(t, 3)
		tooMany := <-c.place(t, "9").result
		assert.Equal(t, problem.CodeOverloaded, problem.CodeOf(tooMany.err))
		c.gate.pass <- nil
		<-c.gate.arrived
		c.gate.pass <- nil
		for _, p := range all {
			require.NoError(t, (<-p.result).err)
		}
		assert.False(t, c.placed(t, "9"))
	})
}

func TestRequestCancelledBeforeItsBatchIsSentIsNotPlaced(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{}, time.Now)
		first := c.place(t, "0")
		<-c.gate.arrived
		gone, stays := c.place(t, "1"), c.place(t, "2")
		c.waits(t, 2)
		gone.cancel()
		require.ErrorIs(t, (<-gone.result).err, context.Canceled)
		c.gate.pass <- nil
		assert.Equal(t, 1, <-c.gate.arrived)
		c.gate.pass <- nil
		require.NoError(t, (<-first.result).err)
		require.NoError(t, (<-stays.result).err)
		assert.False(t, c.placed(t, "1"))
	})
}

func TestRequestCancelledAfterItsBatchIsSentIsUnknownAndItsRetryIsAnswered(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{}, time.Now)
		p := c.place(t, "0")
		<-c.gate.arrived
		p.cancel()
		require.ErrorIs(t, (<-p.result).err, gather.ErrUnknown)
		retry := c.place(t, "0")
		c.waits(t, 1)
		c.gate.pass <- nil
		<-c.gate.arrived
		c.gate.pass <- nil
		a := <-retry.result
		require.NoError(t, a.err)
		assert.Equal(t, lua.Replayed, a.result.Code)
		assert.Equal(t, "770", a.result.Number)
	})
}

func TestFailedCallLeavesItsOrdersUnknownAndOthersContinue(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{}, time.Now)
		p := c.place(t, "0")
		<-c.gate.arrived
		other := c.place(t, "1")
		c.waits(t, 1)
		broken := errors.New("the connection broke")
		c.gate.pass <- broken
		a := <-p.result
		require.ErrorIs(t, a.err, gather.ErrUnknown)
		require.ErrorIs(t, a.err, broken)
		<-c.gate.arrived
		c.gate.pass <- nil
		require.NoError(t, (<-other.result).err)
	})
}

func TestStopAnswersWaitingRequestsAndRefusesNewOnes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{}, time.Now)
		all := []*placingCall{c.place(t, "0")}
		<-c.gate.arrived
		for i := range 3 {
			all = append(all, c.place(t, strconv.Itoa(i+1)))
		}
		c.waits(t, 3)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, c.Stop(ended), context.Canceled, "a call is under way")
		late := <-c.place(t, "9").result
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(late.err))

		stopped := make(chan error, 1)
		go func() { stopped <- c.Stop(context.WithoutCancel(t.Context())) }()
		c.gate.pass <- nil
		<-c.gate.arrived
		c.gate.pass <- nil
		require.NoError(t, <-stopped)
		for _, p := range all {
			require.NoError(t, (<-p.result).err)
		}
		assert.False(t, c.placed(t, "9"))
	})
}

// An instance whose clock is slow sends a deadline that has passed: nothing is placed, and the
// answer sets its clock right.
func TestSlowClockPlacesNothingUntilItReadsTheTimeOfRedis(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		slow := func() time.Time { return time.Now().Add(-time.Hour) }
		c := newCounter(t, stores, Config{}, slow)
		for i, want := range []lua.PlaceCode{lua.TooLate, lua.Placed} {
			p := c.place(t, "0")
			<-c.gate.arrived
			c.gate.pass <- nil
			a := <-p.result
			require.NoError(t, a.err)
			assert.Equal(t, want, a.result.Code, i)
			assert.WithinDuration(t, time.Now(), c.clock.Now(), time.Minute)
		}
	})
}

func TestLinesOfActivitiesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{}, time.Now)
		one := c.place(t, "0")
		<-c.gate.arrived
		two := make(chan answer, 1)
		go func() {
			r, err := c.inBatch(context.WithoutCancel(t.Context()), &Sale{Activity: "a2", Lane: 1}, orderNamed("1"))
			two <- answer{r, err}
		}()
		assert.Equal(t, 1, <-c.gate.arrived, "both calls are under way")
		c.gate.pass <- nil
		c.gate.pass <- nil
		require.NoError(t, (<-one.result).err)
		a := <-two
		require.NoError(t, a.err)
		assert.Equal(t, lua.NotLoaded, a.result.Code)
	})
}

// TestOrdersOfSeveralSalesOfALaneShareARoundTrip lets two calls run, so that the next orders wait together.
func TestOrdersOfSeveralSalesOfALaneShareARoundTrip(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCounter(t, stores, Config{}, time.Now)
		place := func(activity, name string, version int64) chan answer {
			done := make(chan answer, 1)
			go func() {
				sale := &Sale{Activity: activity, Lane: placeLane, Version: version}
				r, err := c.inBatch(context.WithoutCancel(t.Context()), sale, orderNamed(name))
				done <- answer{r, err}
			}()
			return done
		}
		one := place(placeActivity, "0", 0)
		require.Equal(t, 1, <-c.gate.arrived)
		two := place("a2", "1", 0)
		require.Equal(t, 1, <-c.gate.arrived, "of another activity, which the first call doesn't carry")
		rest := []chan answer{}
		want := []lua.PlaceCode{lua.Placed, lua.NotLoaded, lua.Behind, lua.Placed}
		for i, sale := range []struct {
			activity string
			version  int64
		}{{placeActivity, 0}, {"a3", 0}, {placeActivity, 5}, {placeActivity, 0}} {
			rest = append(rest, place(sale.activity, strconv.Itoa(2+i), sale.version))
			c.waits(t, i+1)
		}
		c.gate.pass <- nil
		c.gate.pass <- nil
		require.Equal(t, 4, <-c.gate.arrived, "all that waited")
		c.gate.pass <- nil
		assert.Equal(t, lua.Placed, (<-one).result.Code)
		assert.Equal(t, lua.NotLoaded, (<-two).result.Code)
		for i, done := range rest {
			a := <-done
			require.NoError(t, a.err)
			assert.Equal(t, want[i], a.result.Code, i)
		}
	})
}

// TestASlowChangeOfASaleDoesNotSetTheClockBack sends orders of two sales. The first one's change, of which Redis
// doesn't know, takes five seconds, and the time of the other's answer is five seconds old then.
func TestASlowChangeOfASaleDoesNotSetTheClockBack(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var ahead atomic.Int64
		c := newCounter(t, stores, Config{}, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
		behind := &Sale{Activity: placeActivity, Lane: placeLane, Version: 5, Of: changed{}}
		batch := []placing{
			{sale: behind, order: orderNamed("0")},
			{sale: &Sale{Activity: "a2", Lane: placeLane}, order: orderNamed("1")},
		}
		answers, sent := make([]answer, len(batch)), make(chan error, 1)
		go func() { sent <- c.send(placeLane, batch, answers) }()
		require.Equal(t, len(batch), <-c.gate.arrived)
		c.gate.pass <- nil
		<-c.gate.arrived // the change
		ahead.Add(int64(5 * time.Second))
		c.gate.pass <- errors.New("the connection broke")
		require.NoError(t, <-sent)
		assert.Equal(t, lua.Behind, answers[0].result.Code)
		assert.Equal(t, lua.NotLoaded, answers[1].result.Code)
		assert.Less(t, c.clock.Offset().Abs(), time.Second)
	})
}

func TestEachOfManyConcurrentOrdersIsAnswered(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		newCounter(t, stores, Config{}, time.Now)
		p := newPlacer(t, Config{Batch: 7, Within: time.Minute}, lua.New(stores.Redis, stores.Keys), time.Now)
		kit.Crowd(40, func(buyer int) {
			for i := range 25 {
				name := fmt.Sprintf("%d0%02d", buyer, i)
				sale := &Sale{Activity: placeActivity, Lane: placeLane}
				r, err := p.inBatch(context.WithoutCancel(t.Context()), sale, orderNamed(name))
				if err != nil {
					t.Error(err)
					return
				}
				assert.Equal(t, lua.Placed, r.Code)
				assert.Equal(t, "77"+name, r.Number)
			}
		})
		left, err := stores.Redis.HGet(t.Context(), stores.Keys.Stock(placeLane, placeActivity), "lamp").Int()
		require.NoError(t, err)
		assert.Zero(t, left)
	})
}

// An order that may take only what is kept for its buyer shares no call with orders that may take what is for sale.
func TestOrdersOfKeptUnitsHaveACallOfTheirOwn(t *testing.T) {
	t.Parallel()
	open, kept := &Sale{Activity: "a", Version: 1}, &Sale{Activity: "a", Version: 1, Waitlist: true, OffersOnly: true}
	calls := callsOf([]placing{{sale: open}, {sale: open}, {sale: kept}, {sale: open}})
	var from []int
	for _, c := range calls {
		from = append(from, c.from)
	}
	assert.Equal(t, []int{0, 2, 3}, from)
}
