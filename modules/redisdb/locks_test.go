package redisdb_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/redisdb"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestLostConnectionDoesNotDelayTheReleaseOfLocks(t *testing.T) {
	t.Parallel()
	const held = 20
	stores := kit.Own(t, kit.RedisOnly())
	var frozen, done atomic.Bool
	var late atomic.Int64
	extends := make(chan struct{}, held)
	rdb := stage.BeforeEach(t, stores.Stores, func(redis.Cmder) {
		switch {
		case done.Load():
			late.Add(1)
		case frozen.Load():
			extends <- struct{}{}
		}
	})
	names := make([]string, held)
	for i := range names {
		names[i] = stores.Keys.OrderLock(1+i%4, strconv.Itoa(i))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err := redisdb.NewLocks(rdb).Hold(ctx, names, time.Second, func(ctx context.Context) error {
		stores.RedisServer.Freeze(t)
		frozen.Store(true)
		select {
		case <-extends: // the first one waits for an answer
		case <-ctx.Done():
		}
		done.Store(true)
		return ctx.Err()
	})
	require.NoError(t, err)
	require.NoError(t, ctx.Err())
	assert.LessOrEqual(t, late.Load(), int64(held/4),
		"it gives up after a few attempts, not after one per lock and more")
}
