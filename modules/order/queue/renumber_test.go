package queue_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/myorders"
	"onrush/modules/problem"
	"onrush/modules/site"
	"onrush/test/kit"
	"onrush/test/stage"
)

// collide stores an order of ann, and then places one of bob with its number, as no instance does.
func collide(t *testing.T, s *stage.Stage) (anns, bobs *order.Order) {
	t.Helper()
	anns = s.Place(t, "ann of "+s.Activity, 1)
	s.Move(t)
	require.NoError(t, s.Stores.Redis.HDel(t.Context(), s.Stores.Keys.Held(s.Lane, s.Activity),
		anns.Number.String()).Err()) // as if it were of another sale of the lane
	bobs = s.Order("bob of "+s.Activity, catalogue.DefaultPoint, 2)
	bobs.Number = anns.Number
	results, err := s.TryPlace(t.Context(), bobs)
	require.NoError(t, err)
	require.Equal(t, lua.Placed, results[0].Code)
	return anns, bobs
}

// numberOf returns the number that a task has in Redis.
func numberOf(t *testing.T, s *stage.Stage, o *order.Order) order.Number {
	t.Helper()
	task, err := lua.ParseTask(s.Hash(t, s.Stores.Keys.Tasks)[order.TaskHash(o.Task)])
	require.NoError(t, err)
	n, err := order.ParseNumber(task.Number)
	require.NoError(t, err)
	return n
}

// listOf returns the numbers in the list of a buyer.
func listOf(t *testing.T, s *stage.Stage, user string) (numbers []order.Number) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	cache := myorders.NewCache(s.Stores.Redis, s.Stores.Keys, site.Fixed(stage.Lanes), log)
	list, err := myorders.NewService(s.Stores.DB, cache, time.Now, log).List(t.Context(), user, myorders.Filter{},
		api.Page{Page: 1, Size: 10})
	require.NoError(t, err)
	require.False(t, list.Partial)
	for _, row := range list.Items {
		numbers = append(numbers, row.Number)
	}
	require.EqualValues(t, len(numbers), *list.Total)
	return numbers
}

// bothAreStored asserts that each buyer has the order that was placed, and that bob's can be cancelled.
func bothAreStored(t *testing.T, s *stage.Stage, anns, bobs *order.Order) {
	t.Helper()
	now := numberOf(t, s, bobs)
	assert.NotEqual(t, anns.Number, now)
	assert.Equal(t, map[order.Number]order.Status{anns.Number: order.Unpaid, now: order.Unpaid}, s.Stored(t))
	assert.EqualValues(t, 3, s.Sold(t))
	assert.Empty(t, deadOf(t, s))
	assert.Empty(t, s.QueueLine(t))
	assert.Equal(t, []order.Number{anns.Number}, listOf(t, s, anns.User))
	assert.Equal(t, []order.Number{now}, listOf(t, s, bobs.User))
	of, err := order.ByTask(t.Context(), s.Stores.DB, bobs.Task)
	require.NoError(t, err)
	assert.Equal(t, now, of.Number, "its task says so")
	assert.Equal(t, map[string]string{now.String(): "sku~0~2~" + bobs.User}, s.Hash(t, s.Stores.Keys.Held))
	require.NoError(t, s.Canceller.Cancel(t.Context(), bobs.User, now, ""))
	assert.Equal(t, "9", s.Left(t, ""))
}

// A mover stops after any step, and others continue.
func TestAnOrderWhoseNumberSQLHasGetsAnotherOneOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"peek", "renumber", "insert", "commit", "before_ack", "ack"} {
			s := stage.Open(t, stores, stage.Sale{})
			anns, bobs := collide(t, s)
			assert.Equal(t, []order.Number{bobs.Number}, listOf(t, s, bobs.User), "SQL has it for somebody else")
			for range 2 {
				_, _ = s.Start(t, stage.CrashAt(step)).Mover.RunOnce(t.Context())
			}
			s.Move(t)
			bothAreStored(t, s, anns, bobs)
		}
	})
}

// A load counts the entries of the queue.
func TestAnOrderGetsNoOtherNumberWhileItsSaleIsLoaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		anns, bobs := collide(t, s)
		state := func(to string) {
			require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Meta(s.Lane, s.Activity), "state", to).Err())
		}
		before := stores.Redis.HGet(t.Context(), stores.Keys.Meta(s.Lane, s.Activity), "state").Val()
		state(string(lua.StateLoading))
		_, _ = s.Start(t, nil).Mover.RunOnce(t.Context())
		assert.Equal(t, bobs.Number, numberOf(t, s, bobs))
		assert.Len(t, s.QueueLine(t), 1)
		state(before)
		s.Move(t)
		bothAreStored(t, s, anns, bobs)
	})
}

func TestTwoMoversGiveOneOrderOneNumber(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		anns, bobs := collide(t, s)
		movers := []*stage.Instance{s.Start(t, nil), s.Start(t, nil), s.Start(t, nil)}
		kit.Crowd(len(movers), func(i int) {
			for range 3 {
				if _, _, err := movers[i].Mover.MoveLane(context.WithoutCancel(t.Context()), s.Lane); err != nil {
					t.Error(err)
				}
			}
		})
		s.Move(t)
		bothAreStored(t, s, anns, bobs)
	})
}

// The orders around it are stored in the same run.
func TestTheQueueGoesOnPastAnOrderWhoseNumberSQLHas(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Batch: 2})
		first := s.Place(t, "ann", 1)
		before := s.Place(t, "before", 1)
		s.Move(t)
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Held(s.Lane, s.Activity)).Err())
		for _, user := range []string{"x", "y"} {
			o := s.Order(user, catalogue.DefaultPoint, 1)
			o.Number = map[string]order.Number{"x": first.Number, "y": before.Number}[user]
			_, err := s.TryPlace(t.Context(), o)
			require.NoError(t, err)
			s.Place(t, "after "+user, 1)
		}
		moved, err := s.Mover.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 4, moved)
		assert.Len(t, s.Stored(t), 6)
		assert.Empty(t, deadOf(t, s))
	})
}

// The buyer of the later order pays or cancels before a mover has come.
func TestAnOrderIsNotPaidUnderTheNumberOfAnother(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		anns, bobs := collide(t, s)
		_, err := s.Ensurer.EnsureStored(t.Context(), bobs.User, bobs.Number)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		o, err := s.Ensurer.EnsureStored(t.Context(), bobs.User, numberOf(t, s, bobs))
		require.NoError(t, err)
		assert.Equal(t, bobs.User, o.User)
		s.Move(t)
		bothAreStored(t, s, anns, bobs)
	})
}

// One order of one buyer is stored; another of theirs has its number.
func TestACachedOrderIsListedBesideAStoredOneWithItsNumber(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		first := s.Place(t, "ann", 1)
		s.Move(t)
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Held(s.Lane, s.Activity)).Err())
		again := s.Order("ann", catalogue.DefaultPoint, 1)
		again.Number = first.Number
		_, err := s.TryPlace(t.Context(), again)
		require.NoError(t, err)
		assert.Len(t, listOf(t, s, "ann"), 2)
		s.Move(t)
		assert.Len(t, listOf(t, s, "ann"), 2)
	})
}
