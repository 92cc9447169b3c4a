package queue_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestMoverStoppedAfterAnyStepLosesNothingAndStoresNothingTwice(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"peek", "insert", "commit", "before_ack", "ack"} {
			s := stage.Open(t, stores, stage.Sale{Batch: 3, Limit: 5})
			orders := s.PlaceMany(t, 8)
			for range 3 { // crashes in a row
				_, err := s.Start(t, stage.CrashAt(step)).Mover.RunOnce(t.Context())
				require.ErrorIs(t, err, stage.ErrCrash, step)
				s.Balanced(t)
			}
			s.Move(t)
			s.Balanced(t)
			assert.Len(t, s.Stored(t), 8, step)
			assert.EqualValues(t, 8, s.Sold(t), step)
			for _, o := range orders {
				assert.Equal(t, "S", s.Task(t, o), step)
				assert.Zero(t, stores.Redis.Exists(t.Context(), recordKey(s, o)).Val(), "its record is gone")
			}
			assert.Empty(t, deadOf(t, s))
			assert.Equal(t, "2", s.Left(t, ""))
		}
	})
}

func TestMoversOnOneLaneWithoutALockStoreEachOrderOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const buyers, rounds, perRound = 2, 15, 6
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"p1": 5000, "p2": 5000}, Batch: 7})
		ctx := context.WithoutCancel(t.Context())
		var placing, moving sync.WaitGroup
		var mu sync.Mutex
		var placed []*order.Order
		for buyer := range buyers {
			placing.Go(func() {
				for range rounds {
					orders := make([]*order.Order, perRound)
					for i := range orders {
						orders[i] = s.Order(fmt.Sprintf("buyer%d", buyer), []string{"p1", "p2"}[i%2], int64(1+i%3))
					}
					results, err := s.TryPlace(ctx, orders...)
					if err != nil {
						t.Error(err)
						return
					}
					for _, r := range results {
						assert.Equal(t, lua.Placed, r.Code)
					}
					mu.Lock()
					placed = append(placed, orders...)
					mu.Unlock()
				}
			})
		}
		stop := make(chan struct{})
		for range 3 {
			mover := s.Start(t, nil).Mover
			moving.Go(func() {
				for stopping := false; ; {
					_, more, err := mover.MoveLane(ctx, s.Lane)
					assert.NoError(t, err)
					if stopping && !more {
						return
					}
					select {
					case <-stop:
						stopping = true
					default:
					}
				}
			})
		}
		placing.Wait()
		close(stop)
		moving.Wait()
		s.Move(t)
		stored := s.Stored(t)
		assert.Len(t, stored, buyers*rounds*perRound)
		for _, o := range placed {
			assert.Equal(t, order.Unpaid, stored[o.Number])
			assert.Equal(t, "S", s.Task(t, o))
		}
		s.Balanced(t)
	})
}

func TestOrderWithoutAUnitInSQLFailsAlone(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{Limit: 5, SKULimit: 5})
		_, err := stores.DB.Write.ExecContext(ctx, `UPDATE activity_stock SET total = 6 WHERE activity_id = ?`,
			s.Activity)
		require.NoError(t, err)
		first := s.Place(t, "first", 4)
		tooMuch := s.Place(t, "too much", 4)
		last := s.Place(t, "last", 2)
		crashed := s.Start(t, stage.CrashAt("before_ack")).Mover // the verdict is the same when found again
		_, _, err = crashed.MoveLane(ctx, s.Lane)
		require.ErrorIs(t, err, stage.ErrCrash)
		s.Move(t)
		assert.Equal(t, map[order.Number]order.Status{
			first.Number: order.Unpaid, tooMuch.Number: order.Failed, last.Number: order.Unpaid,
		}, s.Stored(t))
		assert.Equal(t, "S", s.Task(t, first))
		assert.Equal(t, "F:no_stock", s.Task(t, tooMuch))
		assert.Equal(t, "0", s.Left(t, ""), "SQL has no such unit: Redis gets none back")
		assert.NotContains(t, s.Hash(t, stores.Keys.Held), tooMuch.Number.String())
		assert.Equal(t, map[string]string{"a:first": "4", "s:sku~first": "4", "a:last": "2", "s:sku~last": "2"},
			s.Hash(t, stores.Keys.Bought))
		assert.EqualValues(t, 6, s.Sold(t))
		s.Balanced(t)

		o, err := s.Ensurer.EnsureStored(ctx, "too much", tooMuch.Number)
		require.NoError(t, err)
		assert.Equal(t, order.Failed, o.Status)
		assert.Equal(t, order.ReasonNoStock, o.Reason)
		require.Error(t, s.Canceller.Cancel(ctx, "too much", tooMuch.Number, ""))
		s.Balanced(t)
	})
}

func TestUnavailableStoreMakesNoDeadEntry(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"", "peek", "insert", "commit", "before_ack"} {
			s := stage.Open(t, stores, stage.Sale{Batch: 4})
			s.PlaceMany(t, 6)
			lost := s.Place(t, "lost", 1) // an entry without a record has to be looked up in SQL
			require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Orders(s.Lane, "lost")).Err())
			_, err := stores.Redis.LPush(t.Context(), stores.Keys.Queue(s.Lane), "garbage").Result()
			require.NoError(t, err)
			for _, store := range []struct {
				away, back func(testing.TB)
				holds      string // the step after which this store is not needed any more
			}{{stores.SQLAway, stores.SQLBack, "before_ack"}, {stores.RedisAway, stores.RedisBack, ""}} {
				if step == store.holds && step != "" {
					continue
				}
				mover := s.Start(t, stage.At(step, func() error { store.away(t); return nil })).Mover
				if step == "" {
					store.away(t)
				}
				_, err := mover.RunOnce(t.Context())
				if step != "commit" || err != nil { // once committed, SQL may stay unavailable until the next batch
					require.Error(t, err, step)
				}
				store.back(t)
				require.Eventually(t, func() bool {
					return stores.Redis.Ping(t.Context()).Err() == nil &&
						stores.DB.Write.PingContext(t.Context()) == nil
				}, eventually, tick)
			}
			require.Eventually(t, func() bool {
				_, more, err := s.Mover.MoveLane(t.Context(), s.Lane)
				return err == nil && !more && len(s.QueueLine(t)) == 0
			}, eventually, tick, "the queue continues: %s", step)
			assert.Len(t, s.Stored(t), 6, step)
			dead := stores.Redis.HGetAll(t.Context(), stores.Keys.Dead(s.Lane)).Val()
			assert.Len(t, dead, 2, step)
			assert.Contains(t, dead, lost.Number.String())
			s.Balanced(t)
			s.Stores.LoseRedis(t)
		}
	}, kit.Breakable())
}

func TestDrainEmptiesTheQueueAfterAnErrorEnds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Batch: 2})
		s.PlaceMany(t, 7)
		mover := s.Start(t, stage.CrashAt("commit")).Mover
		before, err := mover.Drain(t.Context())
		require.ErrorIs(t, err, stage.ErrCrash)
		after, err := mover.Drain(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 7, before+after)
		assert.Len(t, s.Stored(t), 7)
		assert.Empty(t, s.QueueLine(t))
		s.Balanced(t)
	})
}

func TestMoverThatIsStoppedCompletesTheBatchesThatItHasBegun(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Batch: 2, Stock: map[string]int64{catalogue.DefaultPoint: 20}})
		s.PlaceMany(t, 15)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		mover := s.Start(t, stage.At("insert", func() error { cancel(errors.New("stop")); return nil })).Mover
		mover.Run(ctx)
		stored := len(s.Stored(t))
		assert.GreaterOrEqual(t, stored, 2)
		assert.LessOrEqual(t, stored, 6, "three batches")
		assert.Len(t, s.QueueLine(t), 15-stored)
		s.Balanced(t)
	})
}
