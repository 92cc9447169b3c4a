package queue_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestCachedOrderIsStoredOnceWhenManyEnsureItWhileItMoves(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		ctx := context.WithoutCancel(t.Context())
		for range 4 {
			o := s.Place(t, "u", 2)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					got, err := s.Ensurer.EnsureStored(ctx, "u", o.Number)
					if assert.NoError(t, err) {
						assert.Equal(t, order.Unpaid, got.Status)
						assert.Equal(t, o.Items[0].Quantity, got.Items[0].Quantity)
					}
				})
			}
			all.Go(func() {
				_, _, err := s.Mover.MoveLane(ctx, s.Lane)
				assert.NoError(t, err)
			})
			all.Wait()
		}
		s.Move(t)
		assert.Len(t, s.Stored(t), 4)
		s.Balanced(t)
	})
}

func TestOrderThatMovesBetweenTheReadsIsFound(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		for look := 1; look <= 2; look++ { // before the first and the second read of its record
			o := s.Place(t, "u", 1)
			reads := 0
			rdb := stage.BeforeEach(t, stores, func(cmd redis.Cmder) {
				if cmd.Name() == "hget" {
					if reads++; reads == look {
						s.Move(t)
					}
				}
			})
			got, err := s.StartOn(t, nil, stores.DB, rdb).Ensurer.EnsureStored(t.Context(), "u", o.Number)
			require.NoError(t, err)
			assert.Equal(t, o.Number, got.Number)
			assert.Equal(t, look, reads)
		}
		s.Balanced(t)
	})
}

func TestOrderOfAnotherUserIsNotFound(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		stored := s.Place(t, "u", 1)
		s.Move(t)
		cached := s.Place(t, "u", 1)
		elsewhere := order.NewNumber(stored.Number.Time(), 0, 5)
		tooHigh := order.NewNumber(stored.Number.Time(), stage.Lanes+1, 5)
		for _, ask := range []struct {
			user string
			n    order.Number
		}{
			{"v", stored.Number},
			{"v", cached.Number},
			{"u", cached.Number + 1<<32},
			{"u", elsewhere},
			{"u", tooHigh},
		} {
			_, err := s.Ensurer.EnsureStored(t.Context(), ask.user, ask.n)
			assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err), "%s %s", ask.user, ask.n)
		}
		assert.Len(t, s.Stored(t), 1, "nothing was stored for a stranger")
	})
}

func TestOrderThatCannotBeEnsuredIsUnavailableAndNotDead(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		long := s.Place(t, strings.Repeat("x", 300), 1)
		_, err := s.Ensurer.EnsureStored(t.Context(), long.User, long.Number)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		spoilt := s.Place(t, "u", 1)
		require.NoError(t, stores.Redis.HSet(t.Context(), recordKey(s, spoilt), recordOf(spoilt), "{").Err())
		_, err = s.Ensurer.EnsureStored(t.Context(), "u", spoilt.Number)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		assert.Len(t, s.QueueLine(t), 2)
		assert.Empty(t, deadOf(t, s))
	})
}

func TestEnsuringNeedsOnlyTheStoresThatItReads(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		stored := s.Place(t, "u", 1)
		s.Move(t)
		cached := s.Place(t, "u", 1)
		stores.RedisAway(t)
		_, err := s.Ensurer.EnsureStored(t.Context(), "u", stored.Number)
		require.NoError(t, err)
		_, err = s.Ensurer.EnsureStored(t.Context(), "u", cached.Number)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		require.NoError(t, s.Canceller.Cancel(t.Context(), "u", stored.Number, ""), "its units are returned later")
		stores.RedisBack(t)
		stores.SQLAway(t)
		_, err = s.Ensurer.EnsureStored(t.Context(), "u", cached.Number)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		stores.SQLBack(t)
		require.Eventually(t, func() bool {
			settled, err := s.Outbox.RunOnce(t.Context())
			return err == nil && settled == 1
		}, eventually, tick)
		assert.Equal(t, "9", s.Left(t, ""))
		s.Balanced(t)
	}, kit.Breakable())
}
