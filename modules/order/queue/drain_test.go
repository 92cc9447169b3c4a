package queue_test

import (
	"context"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// drainOrders is how many orders TestOrdersDrainWhileTheirBuyersCancel places.
func drainOrders(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("ONRUSH_TEST_DRAIN"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	return 400
}

func TestOrdersDrainWhileTheirBuyersCancel(t *testing.T) {
	t.Parallel()
	kit.EachIsolation(t, func(t *testing.T, stores *kit.Stores) {
		n := drainOrders(t)
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{catalogue.DefaultPoint: int64(n)}, Batch: 100})
		orders := s.PlaceMany(t, n)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var movers, cancellers sync.WaitGroup
		movers.Go(func() { s.Mover.Run(ctx) })
		next := make(chan *order.Order)
		var failed atomic.Int64
		for range 16 {
			cancellers.Go(func() {
				for o := range next {
					if err := s.Canceller.Cancel(ctx, o.User, o.Number, "192.0.2.1"); err != nil {
						failed.Add(1)
						t.Logf("cancel: %v", err)
					}
				}
			})
		}
		began := time.Now()
		cancelled := (n + 2) / 3
		go func() {
			defer close(next)
			for i := range cancelled {
				next <- orders[3*i]
			}
		}()
		require.Eventually(t, func() bool { return len(s.QueueLine(t)) == 0 }, time.Minute, time.Millisecond)
		drained := time.Since(began)
		cancellers.Wait()
		t.Logf("%d orders drained in %s, %d of them cancelled in %s", n, drained, cancelled, time.Since(began))
		cancel()
		movers.Wait()
		assert.Zero(t, failed.Load(), "cancels that failed")
		assert.Equal(t, int64(n-cancelled), s.Sold(t))
		_, err := s.Outbox.RunOnce(t.Context())
		require.NoError(t, err)
		s.Balanced(t)
	})
}
