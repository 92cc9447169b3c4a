package queue_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// repaired corrects the counts that Redis lost, and requires that the audit finds no drift.
func repaired(t testing.TB, s *stage.Stage) {
	t.Helper()
	_, err := s.Auditor.Repair(context.WithoutCancel(t.Context()), s.Activity)
	require.NoError(t, err)
	s.Balanced(t)
}

// forgetBought makes Redis lose what the buyers of a sale have bought.
func forgetBought(t testing.TB, s *stage.Stage) {
	t.Helper()
	require.NoError(t, s.Stores.Redis.Del(context.WithoutCancel(t.Context()),
		s.Stores.Keys.Bought(s.Lane, s.Activity)).Err())
}

func TestOrderBeyondAPurchaseLimitFailsAndItsUnitsAreReturned(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, sale := range []stage.Sale{{Limit: 3}, {SKULimit: 3}, {Limit: 3, SKULimit: 5}, {Limit: 5, SKULimit: 3}} {
			s := stage.Open(t, stores, sale)
			first := s.Place(t, "u:1", 2)
			s.Move(t)
			forgetBought(t, s)
			over, fits := s.Place(t, "u:1", 2), s.Place(t, "u:1", 1)
			other := s.Place(t, "other", 2)
			s.Move(t)
			assert.Equal(t, map[order.Number]order.Status{
				first.Number: order.Unpaid, over.Number: order.Failed, fits.Number: order.Unpaid,
				other.Number: order.Unpaid,
			}, s.Stored(t))
			assert.Equal(t, "F:over_limit", s.Task(t, over))
			assert.Equal(t, "S", s.Task(t, fits))
			assert.Equal(t, "5", s.Left(t, ""))
			assert.NotContains(t, s.Hash(t, stores.Keys.Held), over.Number.String())
			repaired(t, s)

			// What was cancelled may be bought again.
			require.NoError(t, s.Canceller.Cancel(t.Context(), "u:1", first.Number, ""))
			forgetBought(t, s)
			again := s.Place(t, "u:1", 2)
			s.Move(t)
			assert.Equal(t, order.Unpaid, s.Stored(t)[again.Number])
			repaired(t, s)
		}
	})
}

// What Redis counts after an order was refused in SQL is never less than what SQL has.
func TestCountsOfAnOrderBeyondALimitAreThoseOfSQL(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 3, SKULimit: 4})
		s.Place(t, "u", 1)
		s.Move(t)
		forgetBought(t, s)
		s.Place(t, "u", 3)
		s.Move(t)
		assert.Equal(t, map[string]string{"a:u": "1", "s:sku~u": "1"}, s.Hash(t, stores.Keys.Bought))
		s.Place(t, "u", 2)
		results, err := s.TryPlace(t.Context(), s.Order("u", "0", 1))
		require.NoError(t, err)
		assert.Equal(t, lua.OverActivityLimit, results[0].Code)
		s.Move(t)
		repaired(t, s)
	})
}

// A mover that crashed after it had stored an order beyond a limit, and an ensure that came before
// the mover, end the same way.
func TestOrderBeyondALimitFailsOnceThroughCrashesAndEnsures(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, by := range []string{"commit", "before_ack", "ensure"} {
			s := stage.Open(t, stores, stage.Sale{Limit: 1})
			s.Place(t, "u", 1)
			s.Move(t)
			forgetBought(t, s)
			over := s.Place(t, "u", 1)
			if by == "ensure" {
				o, err := s.Ensurer.EnsureStored(t.Context(), "u", over.Number)
				require.NoError(t, err)
				assert.Equal(t, order.Failed, o.Status)
				assert.Equal(t, "over_limit", o.Reason)
			} else {
				_, _, err := s.Start(t, stage.CrashAt(by)).Mover.MoveLane(t.Context(), s.Lane)
				if by == "before_ack" {
					require.ErrorIs(t, err, stage.ErrCrash)
				}
			}
			s.Move(t)
			assert.Equal(t, "F:over_limit", s.Task(t, over), by)
			assert.Equal(t, "9", s.Left(t, ""), by)
			assert.Equal(t, map[string]string{"a:u": "1"}, s.Hash(t, stores.Keys.Bought), by)
			s.Balanced(t)
		}
	})
}

func TestConcurrentMoversAndEnsuresKeepTheLimit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const orders, limit = 48, 3
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 100}, Limit: limit, SKULimit: 5, Batch: 7})
		ctx := context.WithoutCancel(t.Context())
		for _, user := range []string{"new", "known"} {
			if user == "known" { // the rows are there already
				s.Place(t, "known", 1)
				s.Move(t)
			}
			placed := make([]*order.Order, orders)
			for i := range placed {
				forgetBought(t, s)
				placed[i] = s.Place(t, user, 1)
			}
			var all sync.WaitGroup
			start := make(chan struct{})
			for i := range 3 {
				mover := s.Start(t, nil).Mover
				all.Go(func() {
					<-start
					for more := true; more; {
						var err error
						if _, more, err = mover.MoveLane(ctx, s.Lane); !assert.NoError(t, err, "mover %d", i) {
							return
						}
					}
				})
			}
			for _, o := range placed {
				all.Go(func() {
					<-start
					_, err := s.Ensurer.EnsureStored(ctx, o.User, o.Number)
					assert.NoError(t, err)
				})
			}
			close(start)
			all.Wait()
			s.Move(t)
			stored := s.Stored(t)
			unpaid := 0
			for _, o := range placed {
				if stored[o.Number] == order.Unpaid {
					unpaid++
				}
			}
			if user == "known" {
				unpaid++
			}
			assert.Equal(t, limit, unpaid, user)
			repaired(t, s)
		}
	})
}

// 48 orders of buyers whom SQL has not counted yet, each ensured at the same moment as another of
// the same buyer.
func TestConcurrentFirstOrdersOfBuyersAreCounted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 100}, Limit: 2, SKULimit: 2})
		ctx := context.WithoutCancel(t.Context())
		var placed []*order.Order
		for i := range 24 {
			for range 2 {
				placed = append(placed, s.Place(t, fmt.Sprintf("u%d", i), 1))
			}
		}
		var failed atomic.Int64
		kit.Crowd(len(placed), func(i int) {
			if stored, err := s.Ensurer.EnsureStored(ctx, placed[i].User, placed[i].Number); !assert.NoError(t, err) ||
				stored.Status != order.Unpaid {
				failed.Add(1)
			}
		})
		assert.Zero(t, failed.Load())
		s.Move(t)
		s.Balanced(t) // nothing was forgotten here
	})
}
