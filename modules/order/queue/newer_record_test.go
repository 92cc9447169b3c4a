package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/order/myorders"
	"onrush/modules/problem"
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
		assert.Equal(t, map[order.Number]order.Status{first.Number: order.Unpaid}, s.Stored(t))
		assert.Empty(t, deadOf(t, s), "a newer order is not dead")
		waiting, err := stores.Redis.LLen(ctx, stores.Keys.LockLog(s.Lane)).Result()
		require.NoError(t, err)
		assert.EqualValues(t, 2, waiting)
		lanes, err := s.Queue.Lanes(ctx)
		require.NoError(t, err)
		for _, l := range lanes {
			assert.Equal(t, l.Lane == s.Lane, l.NewerRecords, "lane %d", l.Lane)
		}
		s.Balanced(t)

		cached, err := myorders.NewCache(stores.Redis, stores.Keys, stage.Lanes, nil).Get(ctx, "newer", newer.Number)
		require.NoError(t, err)
		require.NotNil(t, cached, "its buyer sees it")
		_, err = s.Ensurer.EnsureStored(ctx, "newer", newer.Number)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))

		// To a newer instance it is a record like any other.
		spoil(t, s, newer, func(r map[string]any) { r["v"] = 1 })
		s.Move(t)
		assert.Len(t, s.Stored(t), 3)
		assert.Equal(t, "S", s.Task(t, last))
		s.Balanced(t)
	})
}
