package tasks_test

import (
	"context"
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
	"onrush/test/stage"
)

// after is a hook that does something once, after a command.
type after struct {
	command string
	act     func()
}

func (a *after) DialHook(next redis.DialHook) redis.DialHook { return next }

func (a *after) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		a.did(cmd)
		return err
	}
}

func (a *after) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		a.did(cmds[0])
		return err
	}
}

func (a *after) did(cmd redis.Cmder) {
	if a.act != nil && cmd.Name() == a.command {
		act := a.act
		a.act = nil
		act()
	}
}

// watcher returns a watcher whose reads of Redis have a hook.
func watcher(t *testing.T, stores *kit.Stores, hook redis.Hook) *tasks.Watcher {
	t.Helper()
	rdb := stores.ConnectRedis(t)
	rdb.AddHook(hook)
	scripts := lua.New(rdb, stores.Keys)
	return tasks.NewWatcher(tasks.Deps{
		DB: stores.DB, Lua: scripts, Pace: tasks.NewPace(scripts, clock.New(time.Now)), Log: discard,
	})
}

func queryOf(w *world, user string) tasks.Query {
	return tasks.Query{User: user, Lane: w.Lane, Activity: w.Activity, StartsMS: time.Now().UnixMilli()}
}

func TestTasksOfAUserAreListedOnceWhileTheirOrdersMove(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, command := range []string{"hkeys", "hget", "never"} {
			w := newWorld(t, stores, 10)
			var want []order.Number
			for range 3 {
				want = append([]order.Number{w.Place(t, "ada", 1).Number}, want...)
			}
			w.Place(t, "bob", 1)
			hook := &after{command: command, act: func() { w.Move(t) }}
			reader := watcher(t, stores, hook)
			for _, moved := range []bool{false, true} {
				found, partial, err := reader.OfUser(t.Context(), queryOf(w, "ada"))
				require.NoError(t, err)
				assert.False(t, partial)
				var numbers []order.Number
				for _, task := range found {
					numbers = append(numbers, task.Number)
					assert.Equal(t, w.task(&order.Order{Task: task.ID.String()}), task.ID)
					if moved && command != "never" {
						assert.Equal(t, lua.TaskStored, task.State.State)
					}
				}
				assert.Equal(t, want, numbers, "orders that move after %s", command)
			}
			assert.Equal(t, command == "never", hook.act != nil, "they moved")
		}
	})
}

func TestTasksOfAUserAreTheNewestOfTheSaleAndSKU(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, 100)
		var last *order.Order
		for i := range 30 {
			last = w.Place(t, "ada", 1)
			if i == 14 {
				w.Move(t)
			}
		}
		other := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 5}})
		other.Place(t, "ada", 1)
		q := queryOf(w, "ada")
		for _, sku := range []string{"", stage.SKU} {
			q.SKU = sku
			found, partial, err := w.OfUser(t.Context(), q)
			require.NoError(t, err)
			assert.False(t, partial)
			require.Len(t, found, 20)
			assert.Equal(t, last.Number, found[0].Number)
			assert.Equal(t, lua.TaskSubmitted, found[14].State.State)
			assert.Equal(t, lua.TaskStored, found[15].State.State)
		}
		q.SKU = "other"
		found, _, err := w.OfUser(t.Context(), q)
		require.NoError(t, err)
		assert.Empty(t, found)
	})
}

func TestTasksOfAUserArePartialWhileAStoreIsAway(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, 10)
		stored := w.Place(t, "ada", 1)
		w.Move(t)
		cached := w.Place(t, "ada", 1)

		found, partial, err := watcher(t, stores, &failing{}).OfUser(t.Context(), queryOf(w, "ada"))
		require.NoError(t, err)
		assert.True(t, partial)
		require.Len(t, found, 1)
		assert.Equal(t, stored.Number, found[0].Number)

		ended, end := context.WithCancel(t.Context()) // before SQL is read
		found, partial, err = watcher(t, stores, &after{command: "hget", act: end}).OfUser(ended, queryOf(w, "ada"))
		require.NoError(t, err)
		assert.True(t, partial)
		require.Len(t, found, 1)
		assert.Equal(t, cached.Number, found[0].Number)

		_, _, err = watcher(t, stores, &failing{}).OfUser(ended, queryOf(w, "ada"))
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))

		key := stores.Keys.Orders(w.Lane, "ada")
		require.NoError(t, stores.Redis.HSet(t.Context(), key, lua.OrderField(cached.Number.String()), "garbage").Err())
		found, partial, err = w.OfUser(t.Context(), queryOf(w, "ada"))
		require.NoError(t, err)
		assert.True(t, partial)
		assert.Len(t, found, 1, "the others are there")
	})
}
