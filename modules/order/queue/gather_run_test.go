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
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			mover.Run(ctx)
		}()
		require.Eventually(t, func() bool { return len(s.Stored(t)) == looks*perLook }, time.Minute, 5*time.Millisecond)
		stop()
		<-ended
		assert.Zero(t, early.Load(), "orders that were moved while the crowd placed")
		s.Move(t)
		s.Balanced(t)
	})
}
