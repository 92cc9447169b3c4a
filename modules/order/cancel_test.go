package order_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestOneOfManyConcurrentCancelsReturnsTheUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 4})
		ctx := context.WithoutCancel(t.Context())
		for range 3 {
			o := s.Place(t, "u", 4)
			var all sync.WaitGroup
			for range 6 {
				canceller := s.Start(t, nil).Canceller
				all.Go(func() {
					assert.NoError(t, canceller.Cancel(ctx, "u", o.Number, "10.0.0.1"))
				})
			}
			all.Go(func() {
				_, _, err := s.Mover.MoveLane(ctx, s.Lane)
				assert.NoError(t, err)
			})
			all.Wait()
			_, err := s.Outbox.RunOnce(ctx)
			require.NoError(t, err)
			assert.Equal(t, order.Cancelled, s.Stored(t)[o.Number])
			assert.Equal(t, "10", s.Left(t, ""))
			assert.Empty(t, s.Hash(t, stores.Keys.Bought))
			assert.Empty(t, s.Hash(t, stores.Keys.Held))
			s.Balanced(t)
		}
		s.Move(t)
		s.Balanced(t)
	})
}

func TestCancelThatCrashedIsSettledByTheJob(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		for _, step := range []string{"cancel_commit", "return_stock"} {
			o := s.Place(t, "u", 3)
			crashed := s.Start(t, stage.CrashAt(step))
			err := crashed.Canceller.Cancel(t.Context(), "u", o.Number, "")
			if step == "cancel_commit" {
				require.ErrorIs(t, err, stage.ErrCrash)
			} else {
				require.NoError(t, err, "the order is cancelled; the job gives back")
			}
			s.Balanced(t)
			settled, err := s.Outbox.RunOnce(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 1, settled)
			assert.Equal(t, "10", s.Left(t, ""), step)
			s.Balanced(t)
		}
	})
}

// The lock avoids work that is done twice; the order is safe without it.
func TestAnOrderIsCancelledThoughAnotherHolderKeepsItsLock(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		o := s.Place(t, "u", 3)
		for _, name := range order.LockNames(stores.Keys, o.Number) {
			require.NoError(t, stores.Redis.Set(t.Context(), name, "another", time.Hour).Err())
		}
		require.NoError(t, s.Canceller.Cancel(t.Context(), "u", o.Number, ""))
		assert.Equal(t, order.Cancelled, s.Stored(t)[o.Number])
		assert.Equal(t, "10", s.Left(t, ""))
		s.Balanced(t)
	})
}
