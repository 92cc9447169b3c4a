package aged_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/aged"
	"onrush/test/kit"
)

func TestManyCallersOfTheSameCopiesShareOneRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		release := make(chan struct{})
		f := aged.NewKeyed("thing", time.Now, func(context.Context, []string) (map[string]int, error) {
			reads.Add(1)
			<-release
			return map[string]int{"a": 1, "b": 2}, nil
		})
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				got, err := f.GetAll(t.Context(), []string{"a", "b"})
				assert.NoError(t, err) //nolint:testifylint // not the goroutine of the test
				assert.Len(t, got, 2)
			})
		}
		synctest.Wait() // all wait for the one read
		close(release)
		all.Wait()
		assert.EqualValues(t, 1, reads.Load())
	})
}

func TestNobodyWaitsForAReadAfterAFailedOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var value, reads atomic.Int64
		var fails atomic.Bool
		value.Store(1)
		f := aged.NewKeyed("thing", time.Now, func(ctx context.Context, _ []string) (map[string]int64, error) {
			reads.Add(1)
			if fails.Load() {
				<-ctx.Done() // as SQL does that hangs
				return nil, ctx.Err()
			}
			return map[string]int64{"a": value.Load()}, nil
		})
		get := func() (got int64, took time.Duration) {
			began := time.Now()
			got, found, err := f.Get(t.Context(), "a")
			require.NoError(t, err)
			require.True(t, found)
			return got, time.Since(began) // of the clock of synctest, which moves only while everybody waits
		}
		get()
		fails.Store(true)
		kit.Pass(2 * time.Second)
		_, took := get()
		assert.Positive(t, took, "the first waits for the read that fails")
		for range 100 {
			kit.Pass(100 * time.Millisecond)
			got, took := get()
			assert.EqualValues(t, 1, got)
			assert.Zero(t, took)
		}
		assert.LessOrEqual(t, reads.Load(), int64(8), "one read at a time, and a pause after each")
		fails.Store(false)
		value.Store(2)
		for range 30 {
			kit.Pass(100 * time.Millisecond)
			got, took := get()
			assert.Zero(t, took)
			if got == 2 {
				return
			}
		}
		assert.Fail(t, "the value is not read again")
	})
}

func TestAFailedReadIsForgottenWhereNobodyAskedSince(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		value, failure := 1, error(nil)
		f := aged.NewKeyed("thing", time.Now, func(context.Context, []string) (map[string]int, error) {
			if failure != nil {
				return nil, failure
			}
			return map[string]int{"a": value}, nil
		})
		get := func() int {
			got, _, err := f.Get(t.Context(), "a")
			require.NoError(t, err)
			return got
		}
		get()
		failure = errors.New("the server has gone away")
		kit.Pass(2 * time.Second)
		get()
		value, failure = 2, nil
		kit.Pass(30 * time.Minute)
		assert.Equal(t, 2, get(), "the first caller gets what SQL has")
	})
}

func TestGettingAFreshCopyAllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts all allocations
	began := time.Now()
	k := aged.NewKeyed("thing", func() time.Time { return began },
		func(context.Context, []string) (map[string]int, error) { return map[string]int{"a": 1}, nil })
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _, _ = k.Get(t.Context(), "a") }))
}
