package tasks_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/tasks"
	"onrush/test/kit"
)

func TestFollowersOfOneTaskShareOneReadPerTick(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, 10)
		o := w.Place(t, "alice", 1)
		streams := w.follow(t, 2000, o)
		w.settle() // the round that the first of them began
		w.commands.Take()
		const ticks = 10
		for range ticks {
			w.round()
		}
		sent := w.commands.Take()
		assert.Equal(t, ticks, sent["hmget"])
		assert.LessOrEqual(t, sent["lindex"], ticks)
		delete(sent, "hmget")
		delete(sent, "lindex")
		assert.Empty(t, sent)

		w.Move(t)
		w.ticks <- time.Time{}
		streams.wg.Wait()
		for _, got := range streams.outcomes {
			require.NoError(t, got.err)
			require.Equal(t, tasks.State{Number: o.Number, State: lua.TaskStored}, got.state)
		}
		w.settle()
		w.ticks <- time.Time{}
		requireNothingKept(t, w)
	})
}

func TestFollowersOfManyTasksShareAFewReadsPerTick(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, 2000)
		streams := w.follow(t, 2000, w.PlaceMany(t, 2000)...)
		w.settle()
		w.commands.Take()
		const ticks = 5
		for range ticks {
			w.round()
		}
		assert.Equal(t, 4*ticks, w.commands.Take()["hmget"], "500 tasks each")
		w.Move(t)
		w.ticks <- time.Time{}
		streams.wg.Wait()
		for _, got := range streams.outcomes {
			require.NoError(t, got.err)
			require.Equal(t, lua.TaskStored, got.state.State)
		}
	})
}

func requireNothingKept(t *testing.T, w *world) {
	t.Helper()
	require.Eventually(t, func() bool {
		watches, followed, _ := w.Followed()
		return watches == 0 && followed == 0
	}, 5*time.Second, time.Millisecond)
}

// A poll that joins tasks which a stream follows gets the stream's copy, and costs nothing.
func TestPollSharesTheCopyOfAStream(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, 10)
		o := w.Place(t, "alice", 1)
		w.follow(t, 1, o)
		w.settle()
		w.round()
		w.commands.Take()
		for range 100 {
			state, err := w.get(t.Context(), o)
			require.NoError(t, err)
			require.Equal(t, tasks.State{Number: o.Number, State: lua.TaskSubmitted}, state)
		}
		assert.Empty(t, w.commands.Take())
	})
}

func TestPollAfterItsOwnSubmitIsNeverToldThatThereIsNoTask(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, 10)
		o := w.Order("alice", "0", 1)
		early := make(chan error, 1)
		go func() { // before the submit
			_, err := w.get(t.Context(), o)
			early <- err
		}()
		w.settle() // the answer of SQL may be under way
		results, err := w.TryPlace(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, lua.Placed, results[0].Code)
		after := make(chan outcome, 1)
		go func() {
			state, err := w.get(t.Context(), o)
			after <- outcome{state, err}
		}()
		require.Eventually(t, func() bool {
			_, _, n := w.Followed()
			return n == 2 || len(early) == 1 && n == 1
		}, 5*time.Second, time.Millisecond)
		w.ticks <- time.Time{}
		got := <-after
		require.NoError(t, got.err)
		assert.Equal(t, lua.TaskSubmitted, got.state.State)
		if err := <-early; err != nil {
			require.ErrorIs(t, err, tasks.ErrUnknown)
		}
	})
}

func TestTasksThatRedisLostAreReadFromSQLTogether(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, 450)
		orders := w.PlaceMany(t, 450)
		w.Move(t)
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Tasks(w.Lane, w.Activity)).Err())
		unknown := w.Order("nobody", "0", 1)
		streams := w.start(t, 451, append(orders, unknown)...)
		w.run(t) // SQL may be asked for a part of them in the first round
		streams.wg.Wait()
		for i, got := range streams.outcomes[:450] {
			require.NoError(t, got.err)
			require.Equal(t, tasks.State{Number: orders[i].Number, State: lua.TaskStored}, got.state)
		}
		require.ErrorIs(t, streams.outcomes[450].err, tasks.ErrUnknown)
	})
}

// failing fails all commands, and counts the reads of tasks.
type failing struct{ reads atomic.Int64 }

func (f *failing) DialHook(next redis.DialHook) redis.DialHook { return next }

func (f *failing) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(context.Context, redis.Cmder) error { return errRedisAway }
}

func (f *failing) ProcessPipelineHook(redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(_ context.Context, cmds []redis.Cmder) error {
		if cmds[0].Name() == "hmget" {
			f.reads.Add(1)
		}
		return errRedisAway
	}
}

var errRedisAway = errors.New("redis is away")

func TestWithoutRedisStoredTasksAreAnsweredAndTheOthersAreUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, 10)
		stored := w.Place(t, "alice", 1)
		w.Move(t)
		cached := w.Place(t, "bob", 1)
		broken := stores.ConnectRedis(t)
		var fails failing
		broken.AddHook(&fails)
		var mu sync.Mutex
		var waited []time.Duration
		scripts := lua.New(broken, stores.Keys)
		away := tasks.NewWatcher(tasks.Deps{
			DB: stores.DB, Lua: scripts, Pace: tasks.NewPace(scripts, clock.New(time.Now)), Log: discard,
			After: func(d time.Duration) <-chan time.Time {
				mu.Lock()
				defer mu.Unlock()
				waited = append(waited, d)
				return time.NewTimer(time.Millisecond).C
			},
		})
		state, err := away.Wait(t.Context(), w.task(stored), tasks.State{})
		require.NoError(t, err)
		assert.Equal(t, lua.TaskStored, state.State)
		_, err = away.Wait(t.Context(), w.task(cached), tasks.State{})
		require.ErrorIs(t, err, errRedisAway)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		require.Eventually(t, func() bool {
			watches, _, _ := away.Followed()
			return watches == 0
		}, 5*time.Second, time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		// A round in which everybody who follows has the last state already reads nothing, and waits for less.
		long := slices.DeleteFunc(waited, func(d time.Duration) bool { return d < 500*time.Millisecond })
		assert.Positive(t, fails.reads.Load())
		assert.Len(t, long, int(fails.reads.Load()), "a Redis that fails is asked less often")
	})
}

func TestFollowerGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, 10)
		o := w.Place(t, "alice", 1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := w.Wait(ctx, w.task(o), tasks.State{Number: o.Number, State: lua.TaskSubmitted})
		require.ErrorIs(t, err, context.Canceled)
		w.run(t)
		requireNothingKept(t, w)
	})
}

func TestRefreshGrowsWithTheAgeOfTheQueue(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		rdb := stores.ConnectRedis(t)
		commands := kit.CountCommands(rdb)
		now := time.Now().Truncate(time.Millisecond)
		fake := kit.NewClock(now)
		pace := tasks.NewPace(lua.New(rdb, stores.Keys), clock.Fixed(fake.Now))
		refresh := func() time.Duration { return pace.Refresh(t.Context(), 3) }
		assert.Equal(t, 200*time.Millisecond, refresh(), "an empty queue")
		entry := order.FormatEntry(order.NewNumber(now, 3, 1), now.UnixMilli(), "7", "alice")
		require.NoError(t, stores.Redis.RPush(t.Context(), stores.Keys.Queue(3), entry).Err())
		for _, step := range []struct{ age, want time.Duration }{
			{time.Second, 250 * time.Millisecond},
			{1500 * time.Millisecond, 375 * time.Millisecond}, // from the last read
			{8 * time.Second, 2 * time.Second},
			{time.Minute, 5 * time.Second},
		} {
			fake.Set(now.Add(step.age))
			assert.Equal(t, step.want, refresh(), "after %s", step.age)
			assert.Equal(t, step.want, refresh())
			assert.Equal(t, step.want, pace.Known(3))
		}
		fake.Set(now.Add(time.Hour))
		assert.Equal(t, 200*time.Millisecond, pace.Known(3), "nobody asked for long")
		assert.Equal(t, map[string]int{"lindex": 4}, commands.Take(), "one per second at most")
	})
}
