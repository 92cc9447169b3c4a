package admin_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestPointHasTheFiguresOfItsSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 10, "east": 5}})
		w := newWorld(t, stores, time.Now().Add(time.Minute))
		a := &seckill.Activity{ID: s.Activity, Lane: s.Lane}
		for i := range 3 {
			s.Place(t, fmt.Sprint("early", i), 1)
		}
		_, err := s.Mover.Drain(t.Context())
		require.NoError(t, err)
		s.PlaceAt(t, "late", "east", 2)
		s.Place(t, "later", 1)
		for range 5 {
			w.counters.CountSubmit(a, nil) // some are replays
		}
		w.counters.CountPlaced(s.Lane, s.Activity, 4)
		w.counters.CountPath(a, nil)
		w.counters.CountPath(a, problem.Errorf(problem.CodeConflict, "No."))
		w.counters.CountPlaced(s.Lane, s.Activity, 2)
		w.counters.CountSubmit(a, problem.Errorf(problem.CodeNotFound, "No."))
		require.NoError(t, w.counters.Flush(t.Context()))
		w.clock.Advance(time.Second)
		assert.Equal(t, 1, w.samples(t))

		points := w.points(t, s.Activity)
		require.Len(t, points, 1)
		oldest := points[0].QueueOldestMS
		assert.Greater(t, oldest, int64(59_000), "by the clock")
		text, err := json.Marshal(points[0])
		require.NoError(t, err)
		assert.JSONEq(t, fmt.Sprintf(`{"at":%q,"orders_per_second":0.6,"placed":2,"unpaid":3,"paid":0,"cancelled":0,
			"remaining":9,"queue_length":2,"queue_oldest_ms":%d,"accepted":6,"refused":2}`,
			w.clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"), oldest), string(text))

		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Meta(s.Lane, s.Activity)).Err())
		w.clock.Advance(time.Second)
		w.samples(t)
		last := w.points(t, s.Activity)[1]
		assert.Nil(t, last.Remaining, "Redis lost the sale")
		assert.EqualValues(t, 3, last.Unpaid)
	})
}

func TestPointHasTheFiguresOfTheStoreThatAnswers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, noon)
		w.put(t, sale{id: "sale"}, sale{id: "ends", endsIn: -9 * time.Minute})
		require.Equal(t, 2, w.samples(t))
		sample := func() (int, error) {
			w.clock.Advance(5 * time.Second)
			return w.RunOnce(t.Context())
		}
		last := func() admin.HistoryPoint {
			points := w.points(t, "sale")
			return points[len(points)-1]
		}

		stores.SQLAway(t)
		n, err := sample()
		require.Error(t, err)
		assert.Equal(t, 2, n, "those that were read last")
		assert.Nil(t, last().StoredFigures)
		require.NotNil(t, last().LiveFigures)
		assert.EqualValues(t, 10, *last().Remaining)
		w.clock.Advance(time.Minute)
		n, err = sample()
		require.Error(t, err)
		assert.Equal(t, 1, n, "the other one ended more than ten minutes ago")

		stores.RedisAway(t)
		before := len(w.points(t, "sale"))
		n, err = sample()
		require.Error(t, err)
		assert.Zero(t, n)
		assert.Len(t, w.points(t, "sale"), before, "nobody knows anything")

		stores.SQLBack(t)
		require.Eventually(t, func() bool { n, _ = sample(); return n == 1 }, 20*time.Second, 10*time.Millisecond)
		assert.Nil(t, last().LiveFigures)
		require.NotNil(t, last().StoredFigures)
		assert.EqualValues(t, 16, last().Unpaid)
		text, err := json.Marshal(last())
		require.NoError(t, err)
		assert.NotContains(t, string(text), "remaining")
		assert.NotContains(t, string(text), "placed")

		stores.RedisBack(t)
		require.Eventually(t, func() bool { _, err = sample(); return err == nil }, 20*time.Second, 10*time.Millisecond)
		assert.NotNil(t, last().LiveFigures)
		assert.NotNil(t, last().StoredFigures)
	}, kit.Breakable())
}

func TestPlacedOrdersOfALongQueueAreEstimated(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, noon)
		w.put(t, sale{id: "most", lane: 1}, sale{id: "few", lane: 1}, sale{id: "alone", lane: 2},
			sale{id: "none", lane: 3})
		var shared, own []any
		for i := range 1000 {
			id := "most"
			if i%4 == 0 {
				id = "few"
			}
			shared = append(shared, order.FormatEntry(order.Number(i+1), noon.Add(-time.Second).UnixMilli(), id, "u_1"))
			own = append(own, order.FormatEntry(order.Number(i+1), noon.UnixMilli(), "alone", "u"))
		}
		require.NoError(t, stores.Redis.RPush(t.Context(), stores.Keys.Queue(1), shared...).Err())
		require.NoError(t, stores.Redis.RPush(t.Context(), stores.Keys.Queue(2), own[:777]...).Err())
		w.samples(t)
		for id, want := range map[string][3]int64{
			"most": {750, 1000, 1000}, "few": {250, 1000, 1000}, "alone": {777, 777, 0}, "none": {},
		} {
			p := w.points(t, id)[0]
			assert.Equal(t, want, [3]int64{p.Placed, p.QueueLength, p.QueueOldestMS}, id)
		}
	})
}
