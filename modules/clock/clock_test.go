package clock_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/test/kit"
)

// fakeTime is a source of time that a test sets, and takes away with 0.
type fakeTime struct{ ms atomic.Int64 }

func (s *fakeTime) read(context.Context) (int64, error) {
	if ms := s.ms.Load(); ms != 0 {
		return ms, nil
	}
	return 0, errors.New("unavailable")
}

func TestTheClockFollowsTheFirstStoreThatAnswersAndKeepsItsTime(t *testing.T) {
	t.Parallel()
	const hour = int64(time.Hour / time.Millisecond)
	local := kit.NewClock(time.UnixMilli(100 * hour))
	var redis, sql fakeTime
	clock := clock.New(local.Now, redis.read, sql.read)

	require.ErrorContains(t, clock.Sync(t.Context()), "unavailable")
	require.Error(t, clock.Known(t.Context()))
	assert.Equal(t, 100*hour, clock.NowMS(), "nothing better is known")

	sql.ms.Store(50*hour + 3)
	require.NoError(t, clock.Known(t.Context()))
	assert.Equal(t, 50*hour+3, clock.NowMS(), "SQL's, since Redis doesn't answer")
	assert.Equal(t, 50*time.Hour-3*time.Millisecond, clock.Offset())

	redis.ms.Store(50 * hour)
	require.NoError(t, clock.Sync(t.Context()))
	assert.Equal(t, 50*hour, clock.NowMS())

	redis.ms.Store(0)
	sql.ms.Store(0)
	local.Advance(time.Minute)
	require.Error(t, clock.Sync(t.Context()))
	require.NoError(t, clock.Known(t.Context()), "the time is known from the first answer")
	assert.Equal(t, time.UnixMilli(50*hour).Add(time.Minute).UTC(), clock.Now(),
		"the clock continues from the last known time")

	clock.Observe(60 * hour)
	assert.Equal(t, 60*hour, clock.NowMS())
}

func TestStoresReturnTheirTimeInMilliseconds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		scripts := lua.New(s.Redis, s.Keys)
		for name, source := range map[string]clock.Source{"redis": scripts.NowMS, "sql": s.DB.NowMS} {
			before := time.Now().UnixMilli() - 1 // rounded down
			ms, err := source(t.Context())
			require.NoError(t, err, name)
			assert.GreaterOrEqual(t, ms, before, name)
			assert.LessOrEqual(t, ms, time.Now().UnixMilli()+1, name)
		}
	})
}

func TestAWrongClockIsLoggedOncePerChange(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	local := kit.NewClock(time.UnixMilli(1e12))
	clock := clock.New(local.Now).LogTo(slog.New(slog.NewTextHandler(&log, nil)))
	for _, step := range []struct {
		behind time.Duration // of the stores
		lines  int
	}{
		{0, 0}, {4 * time.Second, 0}, {20 * time.Minute, 1}, {20*time.Minute +
			time.Second, 1}, {-20 * time.Minute, 2}, {time.Second, 3}, {0, 3},
	} {
		for range 3 {
			clock.Observe(local.Now().Add(-step.behind).UnixMilli())
		}
		assert.Equal(t, step.lines, strings.Count(log.String(), "\n"), "%s\n%s", step.behind, log.String())
	}
	assert.Contains(t, log.String(), "ahead_ms=1200000")
	assert.Contains(t, log.String(), "correct again")
}

func TestClockOfATestIgnoresTheTimeOfTheStores(t *testing.T) {
	t.Parallel()
	now := kit.NewClock(time.UnixMilli(1e12))
	clock := clock.Fixed(now.Now)
	clock.Observe(5)
	require.NoError(t, clock.Sync(t.Context()))
	assert.Equal(t, int64(1e12), clock.NowMS())
}
