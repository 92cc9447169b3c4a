package queue_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/test/kit"
	"onrush/test/stage"
)

// fillQueue appends entries of the stage's activity from one number to another.
func fillQueue(t *testing.T, s *stage.Stage, from, to int) {
	t.Helper()
	raws := make([]any, 0, to-from)
	for n := from; n < to; n++ {
		raws = append(raws, order.FormatEntry(order.Number(1+n), 1, s.Activity, fmt.Sprintf("u%d", n)))
	}
	require.NoError(t, s.Stores.Redis.RPush(t.Context(), s.Stores.Keys.Queue(s.Lane), raws...).Err())
}

func TestLongQueueIsReadInPagesWhileItMoves(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, taken := range map[string]int{
			"none is taken off": 0, "some are taken off": 700, "more than was read is taken off": 6000,
		} {
			s := stage.Open(t, stores, stage.Sale{})
			require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Queue(s.Lane)).Err())
			fillQueue(t, s, 0, 14_000)
			var seen []int
			pages := 0
			first := 0 // that is still in the queue
			err := queue.EachQueued(t.Context(), s.Scripts, s.Lane, s.Activity, func(entries []order.Entry) error {
				pages++
				assert.LessOrEqual(t, len(entries), 5001)
				for _, e := range entries {
					seen = append(seen, int(e.Number)-1)
				}
				if pages <= 2 {
					first += taken
					fillQueue(t, s, 14_000+100*(pages-1), 14_000+100*pages)
					return stores.Redis.LTrim(t.Context(), stores.Keys.Queue(s.Lane), int64(taken), -1).Err()
				}
				return nil
			})
			require.NoError(t, err)
			assert.True(t, slices.IsSorted(seen), name)
			assert.Len(t, slices.Compact(slices.Clone(seen)), len(seen), "%s: each once", name)
			for n := first; n < 14_200; n++ {
				if _, ok := slices.BinarySearch(seen, n); !ok {
					t.Fatalf("%s: entry %d was in the queue all the time, and not read", name, n)
				}
			}
		}
	})
}

func TestRestOfAQueueReportsWhatHasLeftIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, tc := range []struct {
			before, taken, appended int
			left                    int64
			ok                      bool
		}{
			{0, 0, 0, 0, true},
			{0, 0, 10, 0, true},
			{10, 0, 0, 10, true},
			{10, 4, 3, 6, true},
			{10, 10, 3, 0, true},
			{10, 12, 3, 0, true},
			{12_000, 3_000, 100, 9_000, true},
			{12_000, 8_000, 0, 0, false},
			{12_000, 0, 6_000, 0, false},
		} {
			s := stage.Open(t, stores, stage.Sale{})
			require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Queue(s.Lane)).Err())
			if tc.before > 0 {
				fillQueue(t, s, 0, tc.before)
			}
			r := queue.NewReader(s.Scripts, s.Lane)
			for more := true; more; {
				raws, err := r.Next(t.Context())
				require.NoError(t, err)
				more = len(raws) > 0
			}
			if tc.appended > 0 {
				fillQueue(t, s, tc.before, tc.before+tc.appended)
			}
			require.NoError(t, stores.Redis.LTrim(t.Context(), stores.Keys.Queue(s.Lane), int64(tc.taken), -1).Err())
			p := stores.Redis.Pipeline()
			cmd := r.Rest(t.Context(), p)
			_, err := p.Exec(t.Context())
			require.NoError(t, err)
			rest, left, ok := r.Follow(cmd.Val())
			require.Equal(t, tc.ok, ok, "%+v", tc)
			if ok {
				assert.Equal(t, tc.left, left, "%+v", tc)
				assert.Len(t, rest, tc.appended-max(tc.taken-tc.before, 0), "%+v", tc)
			}
		}
	})
}
