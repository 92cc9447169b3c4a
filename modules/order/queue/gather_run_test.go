package queue_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order/queue"
	"onrush/test/kit"
	"onrush/test/stage"
)

// beforeLook is a hook of a mover's client that runs before each look at the lengths of the queues.
type beforeLook struct{ run func() }

func (beforeLook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (beforeLook) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (h beforeLook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if len(cmds) > 0 && cmds[0].Name() == "llen" {
			h.run()
		}
		return next(ctx, cmds)
	}
}

// runUntil runs a mover until it has done something, and returns when it has stopped.
func runUntil(t *testing.T, mover *queue.Mover, done func() bool, msg ...any) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		mover.Run(ctx)
	}()
	require.Eventually(t, done, time.Minute, 5*time.Millisecond, msg...)
	stop()
	<-ended
}

func TestNothingIsMovedWhileACrowdPlacesAndEverythingAfterIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const looks, perLook = 4, 450 // more than a crowd places between the rarest looks
		s := stage.Open(t, stores, stage.Sale{
			Stock: map[string]int64{catalogue.DefaultPoint: looks * perLook}, Batch: 200, Within: time.Hour,
		})
		rdb := stores.ConnectRedis(t)
		var seen, early atomic.Int64
		rdb.AddHook(beforeLook{func() {
			if seen.Add(1) > looks {
				return
			}
			early.Add(int64(len(s.Stored(t))))
			s.PlaceMany(t, perLook)
		}})
		mover := s.StartOn(t, nil, stores.DB, rdb).Mover
		runUntil(t, mover, func() bool { return len(s.Stored(t)) == looks*perLook })
		assert.Zero(t, early.Load(), "orders that were moved while the crowd placed")
		s.Move(t)
		s.Balanced(t)
	})
}

// Looks are 50 ms apart.
func TestABurstIsStoredByTheSecondLookHoweverLongACrowdWaits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, orders := range []int{1, 5, 30, 250} { // the last ones are three runs of 40 batches
			s := stage.Open(t, stores, stage.Sale{
				Stock: map[string]int64{catalogue.DefaultPoint: int64(orders)}, Batch: 3, Within: time.Hour,
			})
			rdb := stores.ConnectRedis(t)
			stored := make(chan struct{})
			looks := 0
			rdb.AddHook(beforeLook{func() {
				switch looks++; looks {
				case 1:
					s.PlaceMany(t, orders)
				case 3:
					<-stored
				}
			}})
			mover := s.StartOn(t, nil, stores.DB, rdb).Mover
			runUntil(t, mover, func() bool {
				if len(s.Stored(t)) < orders {
					return false
				}
				close(stored)
				return true
			})
			s.Balanced(t)
		}
	})
}

func TestOrdersThatWereMovedBetweenTwoLooksCountForACrowd(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const few, crowd = 19, 410 // 410 in a second are a crowd, 19 fewer are none
		s := stage.Open(t, stores, stage.Sale{
			Stock: map[string]int64{catalogue.DefaultPoint: few + crowd}, Batch: 200, Every: time.Second,
			Within: time.Hour,
		})
		rdb := stores.ConnectRedis(t)
		var looks int
		var early atomic.Int64
		rdb.AddHook(beforeLook{func() {
			switch looks++; looks {
			case 1:
				s.PlaceMany(t, few)
			case 2:
				s.PlaceMany(t, crowd)
			case 3:
				early.Store(int64(len(s.Stored(t))))
			}
		}})
		mover := s.StartOn(t, nil, stores.DB, rdb).Mover
		runUntil(t, mover, func() bool { return len(s.Stored(t)) == few+crowd })
		assert.EqualValues(t, few, early.Load(), "orders that were moved while the crowd placed")
		s.Balanced(t)
	})
}

func TestALongRunIsFollowedByTheNextLookWithoutAPause(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const first, second = 12, 9 // fewer than a crowd places
		s := stage.Open(t, stores, stage.Sale{
			Stock: map[string]int64{catalogue.DefaultPoint: first + second}, Batch: first, Every: time.Hour,
		})
		s.PlaceMany(t, first)
		var placed atomic.Bool
		mover := s.Start(t, stage.At("before_ack", func() error {
			if placed.CompareAndSwap(false, true) { // behind the only batch of the run
				s.PlaceMany(t, second)
			}
			return nil
		})).Mover
		runUntil(t, mover, func() bool { return len(s.Stored(t)) == first+second })
		s.Balanced(t)
	})
}

// The orders of a crowd wait longer in Redis, so more of them are under way when a mover stops.
func TestMoverStoppedAfterAnyStepInACrowdLosesNothingAndStoresNothingTwice(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const looks, perLook = 2, 450
		for _, step := range []string{"peek", "insert", "commit", "before_ack", "ack"} {
			s := stage.Open(t, stores, stage.Sale{
				Stock: map[string]int64{catalogue.DefaultPoint: looks * perLook}, Batch: 200,
				Within: 10 * time.Millisecond,
			})
			rdb := stores.ConnectRedis(t)
			var seen, crashes atomic.Int64
			rdb.AddHook(beforeLook{func() {
				if seen.Add(1) <= looks {
					s.PlaceMany(t, perLook)
				}
			}})
			crash := stage.At(step, func() error {
				crashes.Add(1)
				return stage.ErrCrash
			})
			mover := s.StartOn(t, crash, stores.DB, rdb).Mover
			runUntil(t, mover, func() bool { return crashes.Load() > 0 && seen.Load() > looks }, step)
			s.Balanced(t)
			s.Move(t)
			assert.Len(t, s.Stored(t), looks*perLook, step)
			assert.EqualValues(t, looks*perLook, s.Sold(t), step)
			s.Balanced(t)
		}
	})
}
