package queue_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestDeadEntryWhoseOrderSQLHasIsReplayedAndNotDiscarded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		o := s.Place(t, "u", 2)
		_, err := s.Ensurer.EnsureStored(ctx, "u", o.Number)
		require.NoError(t, err)
		line := s.QueueLine(t)
		dead, err := json.Marshal(queue.DeadEntry{Entry: line[0], Reason: order.ReasonBadRow})
		require.NoError(t, err)
		_, err = s.Scripts.AckMoved(ctx, s.Lane, 0, []lua.Ack{{
			Entry: line[0], Verdict: lua.VerdictDead, DeadID: o.Number.String(), Dead: string(dead),
		}}, lua.Note{})
		require.NoError(t, err)
		_, err = s.Queue.Discard(ctx, idOf(s, o), "operator:x")
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		assert.Equal(t, "8", s.Left(t, ""))
		s.Balanced(t)
		_, err = s.Queue.Replay(ctx, idOf(s, o))
		require.NoError(t, err)
		s.Move(t)
		assert.Equal(t, "S", s.Task(t, o))
		s.Balanced(t)
	})
}

func TestUnknownDeadEntriesAreNotFound(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		for _, id := range []string{"", "1", "1-", "0-1", "9-1", "x-1", "1-404", "-1-5"} {
			_, err := s.Queue.Replay(t.Context(), id)
			assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err), id)
			_, err = s.Queue.Discard(t.Context(), id, "operator:x")
			assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err), id)
		}
	})
}

func TestDeadEntriesOfAReasonAreReplayedOnceByManyOperators(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		addDead(t, stores, 1, "bad", 60)
		addDead(t, stores, 2, "other", 5)
		replayed := make([]queue.ReplayedAll, 48)
		errs := make([]error, 48)
		kit.Crowd(len(replayed), func(i int) {
			replayed[i], errs[i] = s.Queue.ReplayAll(t.Context(), queue.DeadFilter{Reason: "bad"})
		})
		sum := 0
		for i, r := range replayed {
			require.NoError(t, errs[i])
			sum += r.Replayed
		}
		assert.Equal(t, 60, sum)
		left, err := s.Queue.DeadAfter(t.Context(), queue.DeadFilter{}, "", 100)
		require.NoError(t, err)
		assert.Len(t, left.Items, 5)
		n, err := stores.Redis.LLen(t.Context(), stores.Keys.Queue(1)).Result()
		require.NoError(t, err)
		assert.EqualValues(t, 60, n)
	})
}
