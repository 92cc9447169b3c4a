package queue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order/queue"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

// addDead adds n unreadable dead entries with a reason to a lane.
func addDead(t *testing.T, stores *kit.Stores, lane int, reason string, n int) {
	t.Helper()
	values := make([]any, 0, 2*n)
	for i := range n {
		values = append(values, fmt.Sprintf("%s%04d", reason, i),
			fmt.Sprintf(`{"entry":"%s-%d-%d","reason":"%s","at_ms":5}`, reason, lane, i, reason))
	}
	require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Dead(lane), values...).Err())
}

func TestDeadEntriesByCursorAreEachListedOnceWhileOthersAreAdded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		addDead(t, stores, 1, "bad", 600)
		addDead(t, stores, 2, "bad", 30)
		addDead(t, stores, 2, "other", 30)
		seen, cursor := map[string]int{}, ""
		for i := 0; ; i++ {
			list, err := s.Queue.DeadAfter(t.Context(), queue.DeadFilter{Reason: "bad"}, cursor, 50)
			require.NoError(t, err)
			for _, item := range list.Items {
				seen[item.DeadID]++
			}
			if cursor = list.NextCursor; cursor == "" {
				break
			}
			addDead(t, stores, 3, fmt.Sprintf("bad%d", i), 1) // of another reason
		}
		require.Len(t, seen, 630)
		for id, n := range seen {
			assert.Equal(t, 1, n, id)
		}
		_, err := s.Queue.DeadAfter(t.Context(), queue.DeadFilter{}, "x", 50)
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
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
		n, err := stores.Redis.LLen(t.Context(), stores.Keys.LockLog(1)).Result()
		require.NoError(t, err)
		assert.EqualValues(t, 60, n)
	})
}
