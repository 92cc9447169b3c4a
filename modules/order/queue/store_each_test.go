package queue_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

func recordKey(s *stage.Stage, o *order.Order) string { return s.Stores.Keys.Orders(s.Lane, o.User) }

// spoil changes the record of a cached order.
func spoil(t *testing.T, s *stage.Stage, o *order.Order, change func(record map[string]any)) {
	t.Helper()
	var record map[string]any
	data, err := s.Stores.Redis.HGet(t.Context(), recordKey(s, o), recordOf(o)).Bytes()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &record))
	change(record)
	content, err := json.Marshal(record["c"])
	require.NoError(t, err)
	delete(record, "c") // the last member
	data, err = json.Marshal(record)
	require.NoError(t, err)
	data = fmt.Appendf(data[:len(data)-1], `,"c":%s}`, content)
	require.NoError(t, s.Stores.Redis.HSet(t.Context(), recordKey(s, o), recordOf(o), data).Err())
}

// itemOf returns the item of a record.
func itemOf(record map[string]any) map[string]any {
	return record["c"].(map[string]any)["items"].([]any)[0].(map[string]any)
}

func execSQL(t *testing.T, s *stage.Stage, query string, args ...any) {
	t.Helper()
	_, err := s.Stores.DB.Write.ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

// A reason why an order of two units can't be stored, and how it is repaired.
type spoiled struct {
	user   string
	reason string
	harm   func(t *testing.T, s *stage.Stage, o *order.Order)
	repair func(t *testing.T, s *stage.Stage, o *order.Order) // nil: it can't be repaired
}

func waysToSpoil() map[string]spoiled {
	original := map[order.Number][]byte{}
	keep := func(t *testing.T, s *stage.Stage, o *order.Order) {
		data, err := s.Stores.Redis.HGet(t.Context(), recordKey(s, o), recordOf(o)).Bytes()
		require.NoError(t, err)
		original[o.Number] = data
	}
	putBack := func(t *testing.T, s *stage.Stage, o *order.Order) {
		require.NoError(t, s.Stores.Redis.HSet(t.Context(), recordKey(s, o), recordOf(o), original[o.Number]).Err())
	}
	change := func(edit func(map[string]any)) func(*testing.T, *stage.Stage, *order.Order) {
		return func(t *testing.T, s *stage.Stage, o *order.Order) {
			keep(t, s, o)
			spoil(t, s, o, edit)
		}
	}
	// stored puts an order into SQL that has something in common with the spoilt one.
	stored := func(
		number func(order.Number) order.Number, task func(string) string, user string,
	) func(*testing.T, *stage.Stage, *order.Order) {
		return func(t *testing.T, s *stage.Stage, o *order.Order) {
			require.NoError(t, stage.Insert(t.Context(), s.Stores.DB, order.Order{
				Number: number(o.Number), User: user, Task: task(o.Task), Content: order.Content{Activity: "another"},
			}))
		}
	}
	gone := func(t *testing.T, s *stage.Stage, _ *order.Order) {
		execSQL(t, s, `DELETE FROM orders WHERE activity_id = 'another'`)
	}
	return map[string]spoiled{
		"a record that is no JSON": {"a", order.ReasonBadRecord, func(t *testing.T, s *stage.Stage, o *order.Order) {
			keep(t, s, o)
			require.NoError(t, s.Stores.Redis.HSet(t.Context(), recordKey(s, o), recordOf(o), `{"n":`).Err())
		}, putBack},
		"a record without a quantity": {
			"b_x", order.ReasonBadRecord, change(func(r map[string]any) { itemOf(r)["quantity"] = 0 }), putBack,
		},
		"a record of an unheard quantity": {
			"b", order.ReasonBadRecord,
			change(func(r map[string]any) { itemOf(r)["quantity"] = int64(math.MaxInt64) }), putBack,
		},
		"a record of another user": {
			"c", order.ReasonBadRecord, change(func(r map[string]any) { r["u"] = "somebody else" }), putBack,
		},
		"a record of another activity": {
			"d", order.ReasonBadRecord,
			change(func(r map[string]any) { r["c"].(map[string]any)["activity_id"] = "another" }), putBack,
		},
		"no record": {"e", order.ReasonNoRecord, func(t *testing.T, s *stage.Stage, o *order.Order) {
			keep(t, s, o)
			require.NoError(t, s.Stores.Redis.HDel(t.Context(), recordKey(s, o), recordOf(o)).Err())
		}, putBack},
		"a user id too long for its column": {
			strings.Repeat("长", 300), order.ReasonBadRow, func(*testing.T, *stage.Stage, *order.Order) {}, nil,
		},
		"a task that SQL has with another number": {
			"h", order.ReasonTaskTaken, stored(func(n order.Number) order.Number {
				return n ^ 1<<21
			}, func(task string) string { return task }, "h"), gone,
		},
	}
}

func TestOrderThatCannotBeStoredIsDeadAndTheQueueContinues(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, way := range waysToSpoil() {
			t.Run(name, func(t *testing.T) { // one after the other on the same stores
				ctx := t.Context()
				s := stage.Open(t, stores, stage.Sale{Limit: 5})
				before, o, after := s.Place(t, "before", 1), s.Place(t, way.user, 2), s.Place(t, "after", 1)
				way.harm(t, s, o)
				s.Move(t)
				want := map[order.Number]order.Status{before.Number: order.Unpaid, after.Number: order.Unpaid}
				assert.Equal(t, want, s.Stored(t))
				assert.Equal(t, map[string]string{idOf(s, o): way.reason}, deadOf(t, s))
				assert.Equal(t, "P", s.Task(t, o))
				assert.Equal(t, "6", s.Left(t, ""), "its units are still its own")
				s.Balanced(t)

				// Replayed unchanged, it becomes dead again.
				_, err := s.Queue.Replay(ctx, idOf(s, o))
				require.NoError(t, err)
				assert.Empty(t, deadOf(t, s))
				s.Balanced(t)
				s.Move(t)
				assert.Equal(t, map[string]string{idOf(s, o): way.reason}, deadOf(t, s))
				assert.Equal(t, want, s.Stored(t))
				s.Balanced(t)

				if way.repair == nil {
					discarded(t, s, o)
					return
				}
				way.repair(t, s, o)
				_, err = s.Queue.Replay(ctx, idOf(s, o))
				require.NoError(t, err)
				s.Move(t)
				want[o.Number] = order.Unpaid
				assert.Equal(t, want, s.Stored(t))
				assert.Empty(t, deadOf(t, s))
				assert.Equal(t, "S", s.Task(t, o))
				s.Balanced(t)
				_, err = s.Queue.Replay(ctx, idOf(s, o))
				assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
			})
		}
	})
}
