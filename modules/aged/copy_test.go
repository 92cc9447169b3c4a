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

// store is a value whose reads take a time. Its tests run on the fake clock of synctest.
type store struct {
	takes time.Duration
	value atomic.Int64
	err   atomic.Pointer[error]
	reads atomic.Int64
}

func (s *store) read(ctx context.Context) (int64, error) {
	s.reads.Add(1)
	value := s.value.Load()
	select {
	case <-time.NewTimer(s.takes).C:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if err := s.err.Load(); err != nil {
		return 0, *err
	}
	return value, nil
}

func (s *store) fail(err error) { s.err.Store(&err) }

func config() *aged.Config {
	return &aged.Config{What: "value", Now: time.Now, Within: time.Second, Pause: 300 * time.Millisecond}
}

const age = 20 * time.Millisecond

// A read that takes longer than the copy may be old would, if its callers found the result too old, be repeated by
// each of them.
func TestAReadAnswersAllWhoBeganToWaitBeforeItEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := &store{takes: 25 * time.Millisecond}, &aged.Copy[int64]{}
		s.value.Store(7)
		began := time.Now()
		kit.Crowd(250, func(i int) {
			kit.Pass(time.Duration(i) * 100 * time.Microsecond) // the last after 24.9 ms
			got, err := c.Get(t.Context(), config(), age, s.read)
			if err != nil {
				t.Error(err)
				return
			}
			assert.EqualValues(t, 7, got)
		})
		assert.EqualValues(t, 1, s.reads.Load())
		assert.Equal(t, 25*time.Millisecond, time.Since(began), "nobody waits for a second read")
	})
}

func TestTheAgeOfACopyCountsFromTheBeginOfItsRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := &store{takes: 5 * time.Millisecond}, &aged.Copy[int64]{}
		for range 2 {
			_, err := c.Get(t.Context(), config(), age, s.read)
			require.NoError(t, err)
		}
		assert.EqualValues(t, 1, s.reads.Load())
		kit.Pass(15 * time.Millisecond) // 20 ms after the begin
		_, err := c.Get(t.Context(), config(), time.Second, s.read)
		require.NoError(t, err)
		assert.EqualValues(t, 1, s.reads.Load(), "another caller allows an older one")
		_, err = c.Get(t.Context(), config(), age, s.read)
		require.NoError(t, err)
		assert.EqualValues(t, 2, s.reads.Load())
	})
}

func TestACallerWhoAllowsNoAgeGetsAReadThatBeganAfterIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := &store{takes: age}, &aged.Copy[int64]{}
		var first sync.WaitGroup
		first.Go(func() { _, _ = c.Get(t.Context(), config(), age, s.read) })
		synctest.Wait()
		s.value.Store(1)
		kit.Crowd(50, func(int) {
			got, err := c.Get(t.Context(), config(), 0, s.read)
			if err != nil {
				t.Error(err)
				return
			}
			assert.EqualValues(t, 1, got)
		})
		first.Wait()
		assert.EqualValues(t, 2, s.reads.Load(), "they share it")
	})
}

func TestAForgottenReadIsNotKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := &store{takes: age}, &aged.Copy[int64]{}
		var first sync.WaitGroup
		first.Go(func() { _, _ = c.Get(t.Context(), config(), time.Hour, s.read) })
		synctest.Wait()
		s.value.Store(1)
		c.Forget()
		for range 2 { // one who comes during the read, one after it
			got, err := c.Get(t.Context(), config(), time.Hour, s.read)
			require.NoError(t, err)
			assert.EqualValues(t, 1, got)
			first.Wait()
		}
		s.value.Store(2)
		c.Forget()
		got, err := c.Get(t.Context(), config(), time.Hour, s.read)
		require.NoError(t, err)
		assert.EqualValues(t, 2, got)
	})
}

func TestAFailedReadIsAnsweredToAllAndNotRepeatedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := &store{takes: time.Hour}, &aged.Copy[int64]{}
		kit.Crowd(20, func(i int) {
			_, err := c.Get(t.Context(), config(), age*time.Duration(i%2), s.read)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
		_, err := c.Get(t.Context(), config(), age, s.read)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.EqualValues(t, 1, s.reads.Load())
		s.takes = 0
		kit.Pass(300 * time.Millisecond)
		_, err = c.Get(t.Context(), config(), age, s.read)
		require.NoError(t, err)
	})
}

func TestAnOldCopyIsReturnedIfTheReadFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := &store{}, &aged.Copy[int64]{}
		s.value.Store(7)
		cfg := config()
		cfg.StaleFor = time.Minute
		_, err := c.Get(t.Context(), cfg, age, s.read)
		require.NoError(t, err)
		away := errors.New("away")
		s.fail(away)
		c.Forget()
		for range 3 {
			got, err := c.Get(t.Context(), cfg, age, s.read)
			require.NoError(t, err)
			assert.EqualValues(t, 7, got)
		}
		assert.EqualValues(t, 2, s.reads.Load())
		kit.Pass(time.Minute)
		_, err = c.Get(t.Context(), cfg, age, s.read)
		require.ErrorIs(t, err, away)
	})
}

func TestACallerWhoLeavesDoesNotEndTheReadOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := &store{takes: age}, &aged.Copy[int64]{}
		s.value.Store(7)
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			_, err := c.Get(leaving, config(), age, s.read)
			assert.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		all.Go(func() {
			got, err := c.Get(t.Context(), config(), age, s.read)
			if err != nil {
				t.Error(err)
				return
			}
			assert.EqualValues(t, 7, got)
		})
		synctest.Wait()
		leave()
		all.Wait()
		_, err := c.Get(leaving, config(), age, s.read)
		require.ErrorIs(t, err, context.Canceled)
		assert.EqualValues(t, 1, s.reads.Load(), "who has left begins no read")
	})
}

func TestAPanicOfAReadIsItsError(t *testing.T) {
	t.Parallel()
	c := &aged.Copy[int64]{}
	_, err := c.Get(t.Context(), config(), age, func(context.Context) (int64, error) { panic("no") })
	require.ErrorContains(t, err, "no")
}

func TestEachKeyHasItsCopy(t *testing.T) {
	t.Parallel()
	c := aged.NewCache[string](*config(), 10)
	reads := map[string]int{}
	for range 2 {
		for _, key := range []string{"a", "b"} {
			got, err := c.Get(t.Context(), key, time.Hour, func(context.Context) (string, error) {
				reads[key]++
				return key, nil
			})
			require.NoError(t, err)
			assert.Equal(t, key, got)
		}
		assert.Equal(t, map[string]int{"a": 1, "b": 1}, reads)
	}
	c.Forget("b")
	_, err := c.Get(t.Context(), "b", time.Hour, func(context.Context) (string, error) {
		reads["b"]++
		return "", nil
	})
	require.NoError(t, err)
	assert.Equal(t, 2, reads["b"])
}
