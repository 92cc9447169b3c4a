package queue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

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
	same := func(n order.Number) order.Number { return n }
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
		"a number that SQL has for another user": {
			"f", order.ReasonNumberTaken,
			stored(same, func(string) string { return "other.task.of.f" }, "somebody else"), gone,
		},
		"a number that SQL has with another task": {
			"g", order.ReasonNumberTaken, stored(same, func(string) string { return "other.task.of.g" }, "g"), gone,
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
		bad := []string{"", "garbage", "1_2_3", "-5_1_a_u", "12_x_a_u", "12_1__u", "12_1_a_", "\x00_1_a_u"}
		for i, raw := range bad {
			require.NoError(t, stores.Redis.RPush(ctx, stores.Keys.LockLog(s.Lane), raw).Err())
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

func TestEntryWhoseOrderSQLHasIsAcknowledgedWithoutItsRecord(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		execSQL(t, s, `UPDATE activity_stock SET total = 3 WHERE activity_id = ?`, s.Activity)
		stored, failed := s.Place(t, "stored", 2), s.Place(t, "failed", 2)
		_, _, err := s.Start(t, stage.CrashAt("before_ack")).Mover.MoveLane(ctx, s.Lane)
		require.ErrorIs(t, err, stage.ErrCrash)
		require.NoError(t, stores.Redis.Del(ctx, recordKey(s, stored), recordKey(s, failed)).Err())
		s.Move(t)
		assert.Empty(t, deadOf(t, s))
		assert.Equal(t, "S", s.Task(t, stored))
		assert.Equal(t, "F:no_stock", s.Task(t, failed))
		assert.Len(t, s.Stored(t), 2)
	})
}

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
		_, err = s.Scripts.AckMoved(ctx, s.Lane, []lua.Ack{{
			Entry: line[0], Verdict: lua.VerdictDead, DeadID: o.Number.String(), Dead: string(dead),
		}})
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
