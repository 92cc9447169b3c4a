package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestAllWhoCheckAStoreWithinASecondGetTheErrorOfOneWrite(t *testing.T) {
	t.Parallel()
	writes, refused := 0, &problem.NoWritesError{Reason: "read-only", Err: errors.New("the server has read_only = 1")}
	s := newStoreCheck("sql", func(context.Context) error { return nil }, func(context.Context) error {
		writes++
		return refused
	})
	s.cfg.Now = kit.NewClock(time.Now()).Now
	for range 3 {
		require.EqualError(t, s.check(t.Context()), "it takes no writes: read-only: the server has read_only = 1")
	}
	assert.Equal(t, 1, writes)
}

func TestWhoDoesNotWaitForASlowWriteGetsTheOutcomeOfTheLastOne(t *testing.T) {
	t.Parallel()
	for name, outcome := range map[string]error{"taken": nil, "refused": errors.New("refused")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := kit.NewClock(time.Now())
			began, writes := make(chan struct{}), 0
			s := newStoreCheck("sql", func(context.Context) error { return nil }, func(ctx context.Context) error {
				if writes++; writes == 1 {
					return outcome
				}
				close(began)
				<-ctx.Done()
				return ctx.Err()
			})
			s.cfg.Now = clock.Now
			require.Equal(t, outcome, s.check(t.Context()))
			clock.Advance(2 * time.Second)
			ctx, leave := context.WithCancel(t.Context())
			go func() { <-began; leave() }()
			require.Equal(t, outcome, s.check(ctx))
		})
	}
}

// As of a server whose disk is full: it answers, and waits with each write until there is room.
func TestAStoreWhoseWritesDontEndSaysSo(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(time.Now())
	s := newStoreCheck("sql", func(context.Context) error { return nil }, func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	s.cfg.Now = clock.Now
	no, ok := errors.AsType[*problem.NoWritesError](s.check(t.Context()))
	require.True(t, ok)
	assert.Equal(t, "writes don't end", no.Reason)
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, ok = errors.AsType[*problem.NoWritesError](s.check(gone))
	assert.False(t, ok, "nobody waited")
}
