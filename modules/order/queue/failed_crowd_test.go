package queue_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// 48 callers ensure an order of their own and one that all of them ensure, beside three movers. SQL has no units for
// any of the orders.
func TestEachOrderThatFailsInACrowdHasOneEvent(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const crowd = 48
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 2 * crowd}, Batch: 7})
		ctx := context.WithoutCancel(t.Context())
		hot := s.Place(t, "hot", 1)
		placed := []*order.Order{hot}
		for i := range crowd {
			placed = append(placed, s.Place(t, fmt.Sprint("u", i), 1))
		}
		_, err := stores.DB.Write.ExecContext(ctx, `UPDATE activity_stock SET total = sold`)
		require.NoError(t, err)
		var all sync.WaitGroup
		start := make(chan struct{})
		for range 3 {
			mover := s.Start(t, nil).Mover
			all.Go(func() {
				<-start
				for more := true; more; {
					var err error
					if _, more, err = mover.MoveLane(ctx, s.Lane); !assert.NoError(t, err) {
						return
					}
				}
			})
		}
		for i := range crowd {
			all.Go(func() {
				<-start
				for _, o := range []*order.Order{hot, placed[1+i]} {
					stored, err := s.Ensurer.EnsureStored(ctx, o.User, o.Number)
					if assert.NoError(t, err) {
						assert.Equal(t, order.Failed, stored.Status)
					}
				}
			})
		}
		close(start)
		all.Wait()
		s.Move(t)

		found := eventsOf(t, stores, journal.OrderFailed)
		assert.Len(t, found, len(placed))
		for _, o := range placed {
			assert.Len(t, found[o.Number.String()], 1, "one of each order")
		}
	})
}
