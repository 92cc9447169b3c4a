package aged_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/aged"
	"onrush/modules/problem"
)

// table is what a cache reads: the keys that exist, and how often and how wide it was read.
type table struct {
	mu    sync.Mutex
	rows  map[string]int
	reads [][]string
	hold  chan struct{} // a read of "held" waits for it
	err   error
}

func (s *table) load(_ context.Context, keys []string) (map[string]int, error) {
	s.mu.Lock()
	s.reads = append(s.reads, keys)
	rows, err, hold := map[string]int{}, s.err, s.hold
	for _, key := range keys {
		if v, ok := s.rows[key]; ok {
			rows[key] = v
		}
	}
	s.mu.Unlock()
	if slices.Contains(keys, "held") {
		<-hold
	}
	return rows, err
}

func (s *table) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.reads)
}

func (s *table) set(key string, value int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[key] = value
}

func TestManyUnknownKeysAtOnceCostFewReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{rows: map[string]int{"a": 1}}
		f := aged.NewKeyed("thing", time.Now, s.load)
		_, ok, err := f.Get(t.Context(), "a")
		require.NoError(t, err)
		require.True(t, ok)
		before := s.count()

		var all sync.WaitGroup
		for i := range 10_000 {
			all.Go(func() {
				_, ok, err := f.Get(t.Context(), "unknown-"+strconv.Itoa(i))
				assert.NoError(t, err) //nolint:testifylint // not the goroutine of the test
				assert.False(t, ok)
			})
		}
		synctest.Wait()
		v, ok, err := f.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, 1, v)
		all.Wait()
		assert.LessOrEqual(t, s.count()-before, 11, "reads of 10,000 keys")
		for _, keys := range s.reads[before:] {
			assert.LessOrEqual(t, len(keys), 1000, "keys of one read")
			assert.NotContains(t, keys, "a", "the known key has a fresh copy")
		}
		f.Get(t.Context(), "unknown-9999") //nolint:errcheck // only the count of reads matters
		assert.LessOrEqual(t, s.count()-before, 11, "an absent key is remembered")
	})
}

func TestAKnownKeyDoesNotWaitForUnknownOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{rows: map[string]int{"a": 1}, hold: make(chan struct{})}
		f := aged.NewKeyed("thing", time.Now, s.load)
		_, _, err := f.Get(t.Context(), "a")
		require.NoError(t, err)

		time.Sleep(2 * time.Second) //nolint:forbidigo // the clock of the bubble: the copy is no longer fresh
		go func() { _, _, _ = f.Get(t.Context(), "held") }()
		synctest.Wait() // the read of the unknown key is in flight
		s.set("a", 2)
		v, ok, err := f.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, 2, v, "read again, beside the read of the unknown key")
		close(s.hold)
	})
}

func TestAKeyThatIsCreatedIsFoundWithinASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{rows: map[string]int{}}
		f := aged.NewKeyed("thing", time.Now, s.load)
		_, ok, err := f.Get(t.Context(), "new")
		require.NoError(t, err)
		require.False(t, ok)
		s.set("new", 1)
		s.err = fmt.Errorf("SQL fails")
		time.Sleep(time.Second) //nolint:forbidigo // the clock of the bubble
		v, ok, err := f.Get(t.Context(), "new")
		require.NoError(t, err, "what a failed read found nevertheless is right")
		assert.True(t, ok)
		assert.Equal(t, 1, v)
		_, _, err = f.Get(t.Context(), "other")
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), "but the other keys may exist")
	})
}

func TestAReadInFlightIsNotKeptForAForgottenKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{rows: map[string]int{"held": 1}, hold: make(chan struct{})}
		f := aged.NewKeyed("thing", time.Now, s.load)
		go func() { _, _, _ = f.Get(t.Context(), "held") }()
		synctest.Wait()
		s.set("held", 2)
		f.Forget("held")
		close(s.hold)
		synctest.Wait()
		v, _, err := f.Get(t.Context(), "held")
		require.NoError(t, err)
		assert.Equal(t, 2, v)
	})
}

func TestTooManyWaitingKeysAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{rows: map[string]int{}, hold: make(chan struct{})}
		f := aged.NewKeyed("thing", time.Now, s.load)
		go func() { _, _, _ = f.Get(t.Context(), "held") }()
		synctest.Wait()
		var refused atomic.Int64
		var all sync.WaitGroup
		for i := range 21_000 {
			all.Go(func() {
				if _, _, err := f.Get(t.Context(), strconv.Itoa(i)); problem.CodeOf(err) == problem.CodeOverloaded {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		close(s.hold)
		all.Wait()
		assert.EqualValues(t, 21_000-20_000, refused.Load())
	})
}

func TestACacheOfUnknownKeysStaysSmall(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	s := &table{rows: map[string]int{}}
	f := aged.NewKeyed("thing", time.Now, func(ctx context.Context, keys []string) (map[string]int, error) {
		defer func() { s.reads = nil }()
		return s.load(ctx, keys)
	})
	before := heap()
	for from := 0; from < 100_000; from += 1000 {
		keys := make([]string, 1000)
		for i := range keys {
			keys[i] = fmt.Sprintf("\x00\xff%032d", from+i)
		}
		values, err := f.GetAll(t.Context(), keys)
		require.NoError(t, err)
		require.Empty(t, values)
	}
	grown := int64(heap()) - int64(before)
	t.Logf("100,000 distinct unknown keys: the heap grew by %d kB", grown>>10)
	assert.Less(t, grown, int64(8<<20))
	runtime.KeepAlive(f)
}

// heap returns the bytes in use after a collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
