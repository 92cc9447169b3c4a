package queue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
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

// deadOf are the reasons of the dead entries that operators see, by id.
func deadOf(t *testing.T, s *stage.Stage) map[string]string {
	t.Helper()
	list, err := s.Queue.Dead(t.Context(), api.Page{Page: 1, Size: 100})
	require.NoError(t, err)
	reasons := map[string]string{}
	for _, item := range list.Items {
		reasons[item.DeadID] = item.Reason
	}
	return reasons
}

func idOf(s *stage.Stage, o *order.Order) string { return fmt.Sprintf("%d-%s", s.Lane, o.Number) }

// Of a lane with very many dead entries a page is read, and every entry is on one page.
func TestManyDeadEntriesAreListedInPages(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		if testing.Short() && stores.Name == kit.Embedded {
			t.Skip("6,200 entries")
		}
		s := stage.Open(t, stores, stage.Sale{})
		values := make([]any, 0, 2*6200)
		for i := range 6200 {
			values = append(values, fmt.Sprintf("x%04d", i), fmt.Sprintf(`{"entry":"%d","reason":"bad_entry"}`, i))
		}
		require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Dead(1), values...).Err())
		require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Dead(3), "y1", "{}", "y2", "{}").Err())
		seen := map[string]bool{}
		for page := 1; page <= 63; page++ {
			list, err := s.Queue.Dead(t.Context(), api.Page{Page: page, Size: 100})
			require.NoError(t, err)
			require.EqualValues(t, 6202, *list.Total)
			for _, item := range list.Items {
				require.False(t, seen[item.DeadID], item.DeadID)
				seen[item.DeadID] = true
			}
		}
		require.Len(t, seen, 6202)
	})
}
