package queue_test

import (
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

func TestAMoverLeavesTheRecordsOfANewerVersionToNewerInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		first, newer, last := s.Place(t, "first", 1), s.Place(t, "newer", 1), s.Place(t, "last", 1)
		spoil(t, s, newer, func(r map[string]any) { r["v"], r["new_field"] = 99, "kept" })
		instance := s.Start(t, nil)
		for range 3 {
			_, err := instance.Mover.RunOnce(ctx)
			require.NoError(t, err)
		}
		assert.Equal(t, map[order.Number]order.Status{first.Number: order.Unpaid, last.Number: order.Unpaid},
			s.Stored(t), "what stands behind it is stored")
		assert.Equal(t, "S", s.Task(t, last))
		assert.Empty(t, deadOf(t, s), "a newer order is not dead")
		waiting, err := stores.Redis.LLen(ctx, stores.Keys.Queue(s.Lane)).Result()
		require.NoError(t, err)
		assert.EqualValues(t, 2, waiting)
		lanes, err := s.Queue.Lanes(ctx)
		require.NoError(t, err)
		for _, l := range lanes {
			assert.Equal(t, l.Lane == s.Lane, l.NewerRecords, "lane %d", l.Lane)
		}
		s.Balanced(t)

		cached, err := myorders.NewCache(stores.Redis, stores.Keys, site.Fixed(stage.Lanes), nil).
			Get(ctx, "newer", newer.Number)
		require.NoError(t, err)
		require.NotNil(t, cached, "its buyer sees it")
		_, err = s.Ensurer.EnsureStored(ctx, "newer", newer.Number)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))

		// To a newer instance it is a record like any other. It begins at the head of the queue.
		spoil(t, s, newer, func(r map[string]any) { r["v"] = 1 })
		s.Move(t)
		assert.Len(t, s.Stored(t), 3)
		assert.Equal(t, "S", s.Task(t, last))
		s.Balanced(t)
	})
}

// After a rollback no instance can read such a record.
func TestARecordOfANewerVersionThatNobodyMovesIsParkedUntilANewerInstanceComes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		newer := s.Order("newer", catalogue.DefaultPoint, 1)
		newer.PlacedAt = api.Millis(time.Now().Add(-time.Minute).UnixMilli())
		results, err := s.TryPlace(ctx, newer)
		require.NoError(t, err)
		require.Equal(t, lua.Placed, results[0].Code)
		spoil(t, s, newer, func(r map[string]any) { r["v"] = 99 })
		s.Place(t, "last", 1)
		s.Move(t)
		assert.Len(t, s.Stored(t), 1)
		assert.Equal(t, map[string]string{idOf(s, newer): order.ReasonNewerRecord}, deadOf(t, s))
		s.Balanced(t)

		dead, err := s.Queue.ReportDead(ctx)
		require.NoError(t, err)
		assert.Equal(t, 1, dead, "it can't be read yet")
		_, err = s.Queue.Discard(ctx, idOf(s, newer), "operator:x")
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))

		spoil(t, s, newer, func(r map[string]any) { r["v"] = 1 })
		dead, err = s.Queue.ReportDead(ctx)
		require.NoError(t, err)
		assert.Zero(t, dead)
		s.Move(t)
		assert.Len(t, s.Stored(t), 2)
		assert.Equal(t, "S", s.Task(t, newer))
		s.Balanced(t)
	})
}
