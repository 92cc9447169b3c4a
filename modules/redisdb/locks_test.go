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

	"onrush/modules/reached"
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

func TestALockIsOverWhenItsHolderDidNotExtendItWhateverTheClockOfRedis(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		left time.Duration // 0: for ever
		list bool
	}{
		{"Redis's clock is a minute behind", 68 * time.Second, false},
		{"it never expires", 0, false},
		{"somebody else wrote another type", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			stores := kit.OnEmbedded(t)
			ctx, name, now := t.Context(), stores.Keys.MoveLock(1), time.Now()
			if c.list {
				require.NoError(t, stores.Redis.RPush(ctx, name, "dead").Err())
			} else {
				require.NoError(t, stores.Redis.Set(ctx, name, "dead", c.left).Err())
			}
			first, second := lockerAt(stores, &now), lockerAt(stores, &now)
			ran := func(locks *redisdb.Locks) bool {
				err := locks.Try(ctx, []string{name}, func(context.Context) error { return nil })
				if err != nil {
					require.ErrorIs(t, err, redisdb.ErrLocked)
				}
				return err == nil
			}
			for range 16 { // 8 seconds
				require.False(t, ran(first))
				require.False(t, ran(second))
				now = now.Add(500 * time.Millisecond)
				stores.Mini.FastForward(500 * time.Millisecond)
			}
			require.True(t, ran(first))
			require.True(t, ran(second), "it was released")
		})
	}
}

func TestALockThatItsHolderExtendsIsNotTaken(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	ctx, name, now := t.Context(), stores.Keys.MoveLock(1), time.Now()
	require.NoError(t, stores.Redis.Set(ctx, name, "alive", 8*time.Second).Err())
	locks := lockerAt(stores, &now)
	for i := range 60 {
		require.ErrorIs(t, locks.Try(ctx, []string{name}, nil), redisdb.ErrLocked)
		now = now.Add(time.Second)
		stores.Mini.FastForward(time.Second)
		if i%2 == 0 {
			require.NoError(t, stores.Redis.PExpire(ctx, name, 8*time.Second).Err())
		}
	}
	// Another holder takes it each time that the last one releases it.
	for i := range 60 {
		require.NoError(t, stores.Redis.Set(ctx, name, strconv.Itoa(i/4), 0).Err())
		require.ErrorIs(t, locks.Try(ctx, []string{name}, nil), redisdb.ErrLocked)
		now = now.Add(time.Second)
	}
}

const lostLock = "redisdb: a lock is lost while its holder works"

// Correctness doesn't depend on locks: the holder goes on, and doesn't take from the next one what it has lost.
func TestAHolderThatLosesItsLockGoesOnAndLeavesItToTheNext(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx, name := t.Context(), stores.Keys.MoveLock(1)
		before := reached.Counts()[lostLock]
		require.NoError(t, redisdb.NewLocks(stores.Redis).Try(ctx, []string{name}, func(ctx context.Context) error {
			require.NoError(t, stores.Redis.Set(ctx, name, "another", time.Hour).Err())
			require.Eventually(t, func() bool {
				return reached.Counts()[lostLock] > before
			}, 30*time.Second, 10*time.Millisecond)
			return ctx.Err()
		}))
		assert.Equal(t, "another", stores.Redis.Get(ctx, name).Val())
	})
}

func lockerAt(stores *kit.Stores, now *time.Time) *redisdb.Locks {
	return redisdb.NewLocksAt(stores.Redis, func() time.Time { return *now })
}

// A replica with a clock of its own was promoted, or Redis was started on another machine.
func TestALaneOfADeadMoverIsMovedAfterAFewSeconds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		require.NoError(t, stores.Redis.Set(t.Context(), stores.Keys.MoveLock(s.Lane), "dead", time.Hour).Err())
		s.Place(t, "ann", 1)
		first, second := s.Start(t, nil).Mover, s.Start(t, nil).Mover
		require.Eventually(t, func() bool {
			for _, m := range []interface {
				RunOnce(ctx context.Context) (int, error)
			}{first, second} {
				if _, err := m.RunOnce(t.Context()); err != nil {
					t.Error(err)
				}
			}
			return len(s.Stored(t)) == 1
		}, 30*time.Second, 100*time.Millisecond)
		s.Balanced(t)
	})
}
