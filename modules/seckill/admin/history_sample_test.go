package admin_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill"
	"onrush/test/kit"
)

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
		for _, n := range kit.AtOnce(48, func(int) int {
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
		for _, n := range kit.AtOnce(48, func(int) int {
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
