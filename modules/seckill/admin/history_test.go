package admin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/test/stage"
	"onrush/web/problem"
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
			w.counters.Count(a, "submit", nil)
		}
		for call, code := range map[string]problem.Code{"path": problem.CodeConflict, "submit": problem.CodeNotFound} {
			w.counters.Count(a, call, nil)
			w.counters.Count(a, call, problem.Errorf(code, "No."))
		}
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

func TestOnlySalesThatRunAreSampled(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, noon)
		w.put(t, sale{id: "runs"}, sale{id: "starts-soon", startsIn: 50 * time.Second},
			sale{id: "just-ended", startsIn: -time.Hour, endsIn: -9 * time.Minute},
			sale{id: "starts-later", startsIn: 70 * time.Second},
			sale{id: "ended", startsIn: -time.Hour, endsIn: -10 * time.Minute},
			sale{id: "draft", state: seckill.Draft}, sale{id: "offline", state: seckill.Offline})
		assert.Equal(t, 3, w.samples(t))
		for id, want := range map[string]bool{
			"runs": true, "starts-soon": true, "just-ended": true, "starts-later": false, "ended": false,
			"draft": false, "offline": false, "nothing": false,
		} {
			points, sampled := w.Of(id)
			assert.Equal(t, want, sampled, id)
			assert.Equal(t, want, len(points) == 1, id)
			assert.NotNil(t, points, "an empty list in JSON")
		}
		w.clock.Advance(time.Minute)
		assert.Equal(t, 3, w.samples(t), "one sale ended, one starts soon")
	})
}

func TestHistoryKeepsNoMoreThanAnHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kit.OnEmbedded(t), noon)
	w.put(t, sale{id: "long", endsIn: 2 * time.Hour})
	for range 760 {
		w.samples(t)
		w.clock.Advance(5 * time.Second)
	}
	points := w.points(t, "long")
	assert.Len(t, points, 719, "the next one would be the 720th")
	assert.True(t, slices.IsSortedFunc(points, byTime))
	assert.Greater(t, int64(points[0].At), w.clock.Now().Add(-time.Hour).UnixMilli())
	w.samples(t)
	assert.Len(t, w.points(t, "long"), 720)
	for range 3 { // as often as nobody should
		w.clock.Advance(time.Millisecond)
		w.samples(t)
	}
	assert.Len(t, w.points(t, "long"), 720)

	w.clock.Advance(59 * time.Minute)
	assert.Len(t, w.points(t, "long"), 15, "older ones are not shown, though nothing was sampled since")
	w.clock.Advance(time.Hour)
	assert.Empty(t, w.points(t, "long"))
	assert.Zero(t, w.samples(t), "it ended long ago")
	_, sampled := w.Of("long")
	assert.False(t, sampled, "it was not sampled for an hour, and is dropped")
}

func byTime(a, b admin.HistoryPoint) int { return int(a.At - b.At) }

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

func TestSampleOfManySalesTakesFewRoundTrips(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, noon)
		var sales []sale
		for i := range 101 {
			sales = append(sales, sale{
				id: fmt.Sprintf("sale-%03d", i), lane: i%16 + 1, startsIn: -time.Duration(i+1) * time.Second,
			})
		}
		w.put(t, sales...)
		w.samples(t)
		w.trips.pipelines.Store(0)
		w.trips.single.Store(0)
		calls := int64(0)
		if stores.Name == kit.Embedded {
			calls = stores.SQLCalls(t)
		}
		w.clock.Advance(5 * time.Second)
		assert.Equal(t, 100, w.samples(t))
		assert.EqualValues(t, 1, w.trips.pipelines.Load(), "all sales together")
		assert.Zero(t, w.trips.single.Load())
		if stores.Name == kit.Embedded {
			assert.LessOrEqual(t, stores.SQLCalls(t)-calls, int64(2), "the sales, and their statuses")
		}
		for _, s := range sales[:100] {
			points := w.points(t, s.id)
			require.Len(t, points, 2, s.id)
			assert.EqualValues(t, 16, points[1].Unpaid, s.id)
			assert.EqualValues(t, 10, *points[1].Remaining, s.id)
		}
		_, sampled := w.Of(sales[100].id)
		assert.False(t, sampled, "a hundred sales started after it")
	}, kit.Breakable())
}

func TestClockThatIsSetBackKeepsTheOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kit.OnEmbedded(t), noon)
	w.put(t, sale{id: "sale", startsIn: -24 * time.Hour},
		sale{id: "other", startsIn: -24 * time.Hour, endsIn: time.Second})
	for _, step := range []struct {
		by   time.Duration
		want int // points after it
	}{
		{0, 1},
		{5 * time.Second, 2},
		{5 * time.Second, 3},
		{-2 * time.Second, 3}, // the last one is not before it
		{0, 3},
		{5 * time.Second, 4},
		{-12 * time.Hour, 1}, // all times were wrong
		{5 * time.Second, 2},
		{13 * time.Hour, 1}, // the others are older than an hour
	} {
		w.clock.Advance(step.by)
		w.samples(t)
		points := w.points(t, "sale")
		require.Len(t, points, step.want, "%+v", step)
		for i := 1; i < len(points); i++ {
			assert.Greater(t, points[i].At, points[i-1].At)
		}
		assert.Equal(t, w.clock.Now().UnixMilli(), int64(points[len(points)-1].At))
	}
}

func TestSamplesDoNotOverlap(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(t, stores, noon)
		w.put(t, sale{id: "sale"})
		held, hold, first := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
		w.trips.held, w.trips.hold = held, hold
		go func() {
			n, err := w.RunOnce(t.Context())
			if err == nil && n != 1 {
				err = errors.New("the sale was not sampled")
			}
			first <- err
		}()
		<-held
		for _, n := range site.AtOnce(48, func(int) int {
			w.Of("sale")
			n, err := w.RunOnce(t.Context())
			assert.NoError(t, err)
			return n
		}) {
			assert.Zero(t, n, "a sample is being taken")
		}
		close(hold)
		require.NoError(t, <-first)
		assert.EqualValues(t, 1, w.trips.pipelines.Load())

		w.trips.hold = nil
		taken := 0
		for _, n := range site.AtOnce(48, func(int) int {
			w.clock.Advance(time.Second)
			n, err := w.RunOnce(t.Context())
			points, _ := w.Of("sale")
			assert.True(t, slices.IsSortedFunc(points, byTime))
			if !assert.NoError(t, err) {
				return 0
			}
			return n
		}) {
			taken += n
		}
		assert.Positive(t, taken)
		assert.LessOrEqual(t, len(w.points(t, "sale")), taken+1)
	})
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
		require.NoError(t, stores.Redis.RPush(t.Context(), stores.Keys.LockLog(1), shared...).Err())
		require.NoError(t, stores.Redis.RPush(t.Context(), stores.Keys.LockLog(2), own[:777]...).Err())
		w.samples(t)
		for id, want := range map[string][3]int64{
			"most": {750, 1000, 1000}, "few": {250, 1000, 1000}, "alone": {777, 777, 0}, "none": {},
		} {
			p := w.points(t, id)[0]
			assert.Equal(t, want, [3]int64{p.Placed, p.QueueLength, p.QueueOldestMS}, id)
		}
	})
}
