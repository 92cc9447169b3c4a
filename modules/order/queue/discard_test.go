package queue_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

// discarded discards an entry and requires that its units were returned once.
func discarded(t *testing.T, s *stage.Stage, o *order.Order) {
	t.Helper()
	left := s.Left(t, "")
	_, err := s.Queue.Discard(t.Context(), idOf(s, o), "operator:x")
	require.NoError(t, err)
	assert.Empty(t, deadOf(t, s))
	assert.NotEqual(t, left, s.Left(t, ""))
	assert.Equal(t, "F:discarded", s.Task(t, o))
	assert.NotContains(t, s.Hash(t, s.Stores.Keys.Bought), "a:"+o.User)
	assert.NotContains(t, s.Hash(t, s.Stores.Keys.Held), o.Number.String())
	assert.Zero(t, s.Stores.Redis.Exists(t.Context(), recordKey(s, o)).Val())
	_, err = s.Queue.Discard(t.Context(), idOf(s, o), "operator:x")
	assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
	s.Move(t)
	s.Balanced(t)

	// It is found by its number and its task, unless SQL has another order of these, or can't hold it.
	status, stored := s.Stored(t)[o.Number]
	if len(o.User) > 64 || hasOther(t, s, o) {
		assert.False(t, stored)
		return
	}
	assert.Equal(t, order.Failed, status)
	had, err := order.ByTask(t.Context(), s.Stores.DB, o.Task)
	require.NoError(t, err)
	assert.Equal(t, []any{o.Number, order.Failed, order.ReasonDiscarded, o.Digest},
		[]any{had.Number, had.Status, had.Reason, had.Digest})
	var lines []string
	require.NoError(t, s.Stores.DB.Read.SelectContext(t.Context(), &lines,
		`SELECT what FROM order_log WHERE order_number = ?`, o.Number))
	assert.Equal(t, []string{"failed"}, lines)
}

// hasOther reports whether SQL has another order of an order's number or task.
func hasOther(t *testing.T, s *stage.Stage, o *order.Order) bool {
	t.Helper()
	var n int
	const query = `SELECT COUNT(*) FROM orders WHERE activity_id = 'another' AND (number = ? OR task_id = ?)`
	require.NoError(t, s.Stores.DB.Read.GetContext(t.Context(), &n, query, o.Number, o.Task))
	return n > 0
}

func TestDiscardReturnsTheUnitsOfADeadOrderOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, way := range waysToSpoil() {
			t.Run(name, func(t *testing.T) { // one after the other on the same stores
				s := stage.Open(t, stores, stage.Sale{Limit: 5})
				o := s.Place(t, way.user, 2)
				way.harm(t, s, o)
				s.Move(t)
				discarded(t, s, o)
				assert.Equal(t, "10", s.Left(t, ""))
			})
		}
	})
}

func TestEntryThatCannotBeParsedIsDeadUntilItIsDiscarded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		bad := []string{"", "garbage", "1~2~3", "-5~1~a~u", "12~x~a~u", "12~1~~u", "12~1~a~", "\x00~1~a~u"}
		for i, raw := range bad {
			require.NoError(t, stores.Redis.RPush(ctx, stores.Keys.Queue(s.Lane), raw).Err())
			s.Place(t, fmt.Sprintf("u%d", i), 1)
		}
		s.Move(t)
		assert.Len(t, s.Stored(t), len(bad))
		dead := deadOf(t, s)
		assert.Len(t, dead, len(bad))
		for id, reason := range dead {
			assert.Equal(t, order.ReasonBadEntry, reason)
			_, err := s.Queue.Replay(ctx, id)
			require.NoError(t, err)
		}
		s.Move(t)
		assert.Equal(t, dead, deadOf(t, s), "replayed, they are as unreadable as before")
		for id := range dead {
			_, err := s.Queue.Discard(ctx, id, "operator:x")
			require.NoError(t, err)
		}
		assert.Empty(t, deadOf(t, s))
		s.Balanced(t)
	})
}

// A load counts the dead entries: one that is discarded meanwhile is refused, and can be discarded after.
func TestDiscardJustBeforeTheSaleOpensAgainLosesNoUnit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 5})
		o := s.Place(t, strings.Repeat("x", 300), 2)
		s.Move(t)
		s.LoseActivity(t)
		loader := s.Start(t, stage.At("load_commit", func() error {
			_, err := s.Queue.Discard(context.WithoutCancel(t.Context()), idOf(s, o), "operator:x")
			assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
			return nil
		})).Loader
		require.NoError(t, loader.Load(t.Context(), s.Activity))
		assert.Equal(t, "8", s.Left(t, ""))
		s.Balanced(t)
		_, err := s.Queue.Discard(t.Context(), idOf(s, o), "operator:x")
		require.NoError(t, err)
		assert.Equal(t, "10", s.Left(t, ""))
		assert.Empty(t, s.Hash(t, stores.Keys.Bought))
		s.Balanced(t)
	})
}
