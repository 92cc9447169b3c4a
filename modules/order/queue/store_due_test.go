package queue_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// The movers are paused, or the mover that has the lane's lock is dead.
func TestOrdersOfAQueueThatDoesNotMoveAreCancelledWhenTheirTimeToPayIsOver(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{Batch: 2, Limit: 3})
		require.NoError(t, stores.Redis.Set(ctx, stores.Keys.MoveLock(s.Lane), "dead", 0).Err())
		now := time.Now()
		place := func(user string, age, payWithin time.Duration) *order.Order {
			o := s.Order(user, catalogue.DefaultPoint, 1)
			o.PlacedAt = api.Millis(now.Add(-age).UnixMilli())
			o.PayBefore = api.Millis(now.Add(payWithin - age).UnixMilli())
			results, err := s.TryPlace(ctx, o)
			require.NoError(t, err)
			require.Equal(t, lua.Placed, results[0].Code)
			return o
		}
		due := []*order.Order{
			place("ann", time.Hour, time.Minute), place("bob", time.Hour, time.Minute),
			place("cid", time.Minute, 30*time.Second),
		}
		waits := place("dan", time.Minute, time.Hour)
		due = append(due, place("eve", 40*time.Second, 30*time.Second))
		young := place("fay", 0, time.Minute)
		spoil(t, s, place("gil", 0, time.Minute), func(r map[string]any) { r["v"] = 99 })

		mover := s.Start(t, nil).Mover
		canceller := order.NewDueCanceller(order.DueConfig{}, order.Deps{
			DB: stores.DB, Lua: s.Scripts, Clock: clock.Fixed(time.Now), Log: slog.New(slog.DiscardHandler),
		}, s.Outbox)
		for range 2 {
			_, err := mover.StoreDue(ctx)
			require.NoError(t, err)
			_, err = canceller.RunOnce(ctx)
			require.NoError(t, err)
		}
		stored := s.Stored(t)
		assert.Len(t, stored, len(due))
		for _, o := range due {
			assert.Equal(t, order.Cancelled, stored[o.Number])
		}
		assert.Len(t, s.QueueLine(t), len(due)+3, "nothing was taken out of the queue")
		assert.Equal(t, "7", s.Left(t, ""), "the units of those that were cancelled came back")
		s.Balanced(t)

		require.NoError(t, stores.Redis.Del(ctx, stores.Keys.MoveLock(s.Lane)).Err())
		_, err := mover.RunOnce(ctx)
		require.NoError(t, err)
		assert.Equal(t, order.Unpaid, s.Stored(t)[waits.Number])
		assert.Equal(t, order.Unpaid, s.Stored(t)[young.Number])
		assert.Equal(t, order.Cancelled, s.Stored(t)[due[0].Number])
		s.Balanced(t)
	})
}
