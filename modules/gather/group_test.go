package gather_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/gather"
	"onrush/modules/panics"
)

// held is a Group whose calls wait until the test lets them go on.
type held struct {
	*gather.Group[string, int, string]

	began chan []int // the requests of a call that has begun
	end   chan error // ends a call
}

func newHeld(cfg gather.Config[string, int, string]) *held {
	h := &held{began: make(chan []int), end: make(chan error)}
	cfg.Call = func(_ string, requests []int, results []string) error {
		h.began <- append([]int(nil), requests...)
		if err := <-h.end; err != nil {
			return err
		}
		for i, n := range requests {
			results[i] = strconv.Itoa(n)
		}
		return nil
	}
	if cfg.MaxCall == 0 {
		cfg.MaxCall = 100
	}
	h.Group = gather.New(cfg)
	return h
}

type outcome struct {
	res string
	err error
}

// do sends a request and returns once it waits behind the others.
func (h *held) do(ctx context.Context, t *testing.T, key string, n int) <-chan outcome {
	t.Helper()
	before, loops := h.Waiting(key)
	done := make(chan outcome, 1)
	go func() {
		res, err := h.Do(ctx, key, n)
		done <- outcome{res, err}
	}()
	if loops > 0 {
		h.waits(t, key, before+1)
	}
	return done
}

func (h *held) waits(t *testing.T, key string, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		waiting, _ := h.Waiting(key)
		return waiting == n
	}, 10*time.Second, time.Millisecond)
}

func TestRequestsThatWaitShareACallInTheirOrder(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{MaxCall: 3})
	all := []<-chan outcome{h.do(t.Context(), t, "a", 0)}
	assert.Equal(t, []int{0}, <-h.began, "an idle group adds no delay")
	for n := range 4 {
		all = append(all, h.do(t.Context(), t, "a", n+1))
	}
	for _, want := range [][]int{{1, 2, 3}, {4}} {
		h.end <- nil
		assert.Equal(t, want, <-h.began)
	}
	h.end <- nil
	for n, done := range all {
		assert.Equal(t, outcome{strconv.Itoa(n), nil}, <-done)
	}
	require.NoError(t, h.Stop(t.Context()))
	waiting, loops := h.Waiting("a")
	assert.Zero(t, waiting+loops, "an idle key is given up")
}

func TestKeysDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{})
	a, b := h.do(t.Context(), t, "a", 1), h.do(t.Context(), t, "b", 2)
	assert.ElementsMatch(t, []int{1, 2}, append(<-h.began, <-h.began...))
	h.end <- nil
	h.end <- nil
	require.NoError(t, errors.Join((<-a).err, (<-b).err))
}

// tens is the line of a request.
func tens(n *int) string { return strconv.Itoa(*n / 10) }

func TestLinesShareCallsAndTakeTurns(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{Line: tens, MaxCall: 3})
	h.do(t.Context(), t, "a", 1)
	<-h.began
	for _, n := range []int{11, 21, 12, 31, 13, 14, 15, 16, 22} {
		h.do(t.Context(), t, "a", n)
	}
	for _, want := range [][]int{{11, 12, 13}, {21, 22, 31}, {14, 15, 16}} {
		h.end <- nil
		assert.Equal(t, want, <-h.began)
	}
	h.end <- nil
	require.NoError(t, h.Stop(t.Context()))
}

func TestALongLineDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{Line: tens, MaxCall: 3, MaxWaiting: 9})
	h.do(t.Context(), t, "a", 1)
	<-h.began
	for n := range 9 {
		h.do(t.Context(), t, "a", 10+n)
	}
	_, err := h.Do(t.Context(), "a", 19)
	require.ErrorIs(t, err, gather.ErrFull)
	h.do(t.Context(), t, "a", 21)
	for _, want := range [][]int{{10, 11, 12}, {21, 13, 14}, {15, 16, 17}, {18}} {
		h.end <- nil
		assert.Equal(t, want, <-h.began)
	}
	h.end <- nil
	require.NoError(t, h.Stop(t.Context()))
}

func TestASecondCallBeginsForALineThatTheFirstDoesNotCarry(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{Line: tens, SecondFrom: 100})
	h.do(t.Context(), t, "a", 11)
	assert.Equal(t, []int{11}, <-h.began)
	h.do(t.Context(), t, "a", 12)
	_, loops := h.Waiting("a")
	assert.Equal(t, 1, loops, "of the same line")
	go func() { _, _ = h.Do(t.Context(), "a", 21) }()
	assert.Equal(t, []int{12, 21}, <-h.began, "beside the first")
	h.do(t.Context(), t, "a", 31)
	_, loops = h.Waiting("a")
	assert.Equal(t, 2, loops, "no third")
	h.end <- nil
	assert.Equal(t, []int{31}, <-h.began)
	h.end <- nil
	h.end <- nil
	require.NoError(t, h.Stop(t.Context()))
}

func TestASecondCallBeginsWhenManyWaitAndNoThird(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{SecondFrom: 2})
	h.do(t.Context(), t, "a", 0)
	<-h.began
	h.do(t.Context(), t, "a", 1)
	go func() { _, _ = h.Do(t.Context(), "a", 2) }()
	assert.Equal(t, []int{1, 2}, <-h.began, "beside the first")
	for n := range 4 {
		h.do(t.Context(), t, "a", 3+n)
	}
	_, loops := h.Waiting("a")
	assert.Equal(t, 2, loops)
	go func() {
		for range h.began { // lets them begin
		}
	}()
	close(h.end)
	require.NoError(t, h.Stop(t.Context()))
	close(h.began)
}

func TestARequestWhoseCallerLeavesBeforeTheCallHasNoEffect(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{})
	h.do(t.Context(), t, "a", 0)
	<-h.began
	ctx, leave := context.WithCancel(t.Context())
	left, stays := h.do(ctx, t, "a", 1), h.do(t.Context(), t, "a", 2)
	leave()
	err := (<-left).err
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, gather.ErrUnknown)
	h.end <- nil
	assert.Equal(t, []int{2}, <-h.began)
	h.end <- nil
	assert.Equal(t, outcome{"2", nil}, <-stays)
}

func TestARequestWhoseCallerLeavesDuringTheCallIsUnknown(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{})
	ctx, leave := context.WithCancel(t.Context())
	left := h.do(ctx, t, "a", 0)
	<-h.began
	leave()
	err := (<-left).err
	require.ErrorIs(t, err, gather.ErrUnknown)
	require.ErrorIs(t, err, context.Canceled)
	h.end <- nil
	require.NoError(t, h.Stop(t.Context()))
}

func TestAnErrorOfACallIsUnknownToAllOfItsCallersAndIsTold(t *testing.T) {
	t.Parallel()
	broken := errors.New("the connection broke")
	var told atomic.Int32
	h := newHeld(gather.Config[string, int, string]{Failed: func(key string, requests int, err error) {
		assert.Equal(t, "a", key)
		assert.Equal(t, broken, err)
		told.Add(int32(requests))
	}})
	h.do(t.Context(), t, "a", 0)
	<-h.began
	one, two := h.do(t.Context(), t, "a", 1), h.do(t.Context(), t, "a", 2)
	h.end <- nil
	<-h.began
	after := h.do(t.Context(), t, "a", 3)
	h.end <- broken
	for _, done := range []<-chan outcome{one, two} {
		err := (<-done).err
		require.ErrorIs(t, err, gather.ErrUnknown)
		require.ErrorIs(t, err, broken)
	}
	<-h.began
	h.end <- nil
	assert.Equal(t, outcome{"3", nil}, <-after, "others go on")
	assert.EqualValues(t, 2, told.Load())
}

func TestAPanicOfACallIsAnError(t *testing.T) {
	t.Parallel()
	g := gather.New(gather.Config[string, int, string]{
		MaxCall: 1, Call: func(string, []int, []string) error { panic("no") },
	})
	for range 3 { // the key is of use again
		_, err := g.Do(t.Context(), "a", 1)
		require.ErrorIs(t, err, gather.ErrUnknown)
		_, panicked := errors.AsType[*panics.Error](err)
		require.True(t, panicked)
	}
}

func TestTooManyWaitingRequestsAreRefused(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{MaxWaiting: 2})
	h.do(t.Context(), t, "a", 0)
	<-h.began
	h.do(t.Context(), t, "a", 1)
	h.do(t.Context(), t, "a", 2)
	_, err := h.Do(t.Context(), "a", 3)
	require.ErrorIs(t, err, gather.ErrFull)
	h.end <- nil
	assert.Equal(t, []int{1, 2}, <-h.began)
	h.end <- nil
	require.NoError(t, h.Stop(t.Context()))
}

func TestStopAnswersTheWaitingAndRefusesTheOthers(t *testing.T) {
	t.Parallel()
	h := newHeld(gather.Config[string, int, string]{})
	first := h.do(t.Context(), t, "a", 0)
	<-h.began
	second := h.do(t.Context(), t, "a", 1)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	require.ErrorIs(t, h.Stop(ctx), context.Canceled, "a call runs")
	_, err := h.Do(t.Context(), "b", 2)
	require.ErrorIs(t, err, gather.ErrStopping)
	h.end <- nil
	<-h.began
	h.end <- nil
	require.NoError(t, h.Stop(t.Context()))
	require.NoError(t, errors.Join((<-first).err, (<-second).err))
}

func TestEveryRequestOfACrowdGetsItsOwnAnswerOnce(t *testing.T) {
	t.Parallel()
	var calls, answered atomic.Int64
	g := gather.New(gather.Config[int, int, int]{
		MaxCall: 16, SecondFrom: 4,
		Call: func(key int, requests, results []int) error {
			calls.Add(1)
			for i, n := range requests {
				if results[i] != 0 {
					return errors.New("a result of an earlier call")
				}
				results[i] = key*1_000_000 + n
			}
			answered.Add(int64(len(requests)))
			return nil
		},
	})
	var all sync.WaitGroup
	var left atomic.Int64
	for n := range 5000 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if n%7 == 0 {
				go cancel()
			}
			key := 1 + rand.IntN(3)
			res, err := g.Do(ctx, key, n+1)
			if err != nil {
				assert.Equal(t, context.Canceled, ctx.Err(), "%v", err)
				left.Add(1)
				return
			}
			assert.Equal(t, key*1_000_000+n+1, res)
		})
	}
	all.Wait()
	require.NoError(t, g.Stop(t.Context()))
	assert.GreaterOrEqual(t, answered.Load(), 5000-left.Load())
	assert.LessOrEqual(t, calls.Load(), answered.Load())
}

func TestARequestThatNobodyWaitsForIsInACall(t *testing.T) {
	t.Parallel()
	var got []int
	g := gather.New(gather.Config[string, int, int]{
		Call: func(_ string, requests []int, _ []int) error {
			got = append(got, requests...)
			return nil
		},
		MaxCall: 10,
	})
	require.NoError(t, g.Go("a", 1))
	require.NoError(t, g.Stop(t.Context()))
	assert.Equal(t, []int{1}, got)
	require.ErrorIs(t, g.Go("a", 2), gather.ErrStopping)
}
