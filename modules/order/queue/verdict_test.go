package queue

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/lua"
	"onrush/modules/order"
)

// The order of the cases is that of the facts: what is learned first decides.
func TestTheVerdictOnAnEntryFollowsFromWhatTheStoresSay(t *testing.T) {
	t.Parallel()
	entry := order.Entry{Number: 77, PlacedMS: 1000, Activity: "a", User: "ada"}
	placed := &order.Order{Number: 77, User: "ada", Task: "task", Digest: "body"}
	placed.Activity, placed.Point = "a", "0"
	waits, stored := verdict{Verdict: lua.VerdictWait}, verdict{Verdict: lua.VerdictStored}
	parked := 1000 + parkAfter.Milliseconds()
	row := func(change func(*order.Stored)) *order.Stored {
		s := &order.Stored{Number: 77, User: "ada", Task: "task", Activity: "a", Status: order.Unpaid}
		change(s)
		return s
	}
	same := func(*order.Stored) {}
	failed := func(reason string) func(*order.Stored) {
		return func(s *order.Stored) { s.Status, s.Reason = order.Failed, reason }
	}
	one := func(change func(*first)) *first {
		f := &first{
			Number: 70, User: "ada", Digest: "body", Activity: "a", Point: "0", Status: order.Unpaid,
		}
		change(f)
		return f
	}
	refused := errors.New("row refused")
	newer := fmt.Errorf("read: %w", order.ErrNewerRecord)
	dead := func(reason, detail string) verdict {
		return verdict{Verdict: lua.VerdictDead, reason: reason, detail: detail}
	}
	repeat := func(of lua.Repeat, reason string) verdict {
		of.Number = "70"
		return verdict{
			Verdict: lua.VerdictRepeat, reason: reason, detail: "order 70 has this task", first: 70, of: of,
		}
	}
	for what, c := range map[string]struct {
		facts facts
		want  verdict
	}{
		"an entry that can't be read": {
			facts{entryErr: refused, locked: true}, dead(order.ReasonBadEntry, "row refused"),
		},
		"a sale that is locked": {facts{locked: true, order: placed}, waits},
		"a record of a newer version": {
			facts{entry: entry, recordErr: newer, nowMS: parked - 1}, waits,
		},
		"a record of a newer version for long": {
			facts{entry: entry, recordErr: newer, nowMS: parked}, dead(order.ReasonNewerRecord, ""),
		},
		"a record that can't be read": {
			facts{entry: entry, recordErr: refused}, dead(order.ReasonBadRecord, "row refused"),
		},
		"neither a record nor a row": {facts{entry: entry}, dead(order.ReasonNoRecord, "")},
		"a row without a record":     {facts{entry: entry, row: row(same)}, stored},
		"a failed row without a record": {
			facts{entry: entry, row: row(failed(order.ReasonDiscarded))},
			verdict{Verdict: lua.VerdictFailed, reason: order.ReasonDiscarded},
		},
		"no record, and the row of another buyer": {
			facts{entry: entry, row: row(func(s *order.Stored) { s.User = "bob" })}, dead(order.ReasonNoRecord, ""),
		},
		"no record, and the row of another sale": {
			facts{entry: entry, row: row(func(s *order.Stored) { s.Activity = "b" })}, dead(order.ReasonNoRecord, ""),
		},
		"a new order":    {facts{order: placed}, stored},
		"a stored order": {facts{order: placed, row: row(same)}, stored},
		"a stored order of an erased buyer": {
			facts{order: placed, row: row(func(s *order.Stored) { s.User = "erased-1" })}, stored,
		},
		"a stored order that failed": {
			facts{order: placed, row: row(failed(order.ReasonNoStock))},
			verdict{Verdict: lua.VerdictFailed, reason: order.ReasonNoStock},
		},
		"a stored order over a limit": {
			facts{order: placed, row: row(failed(order.ReasonOverLimit))},
			verdict{Verdict: lua.VerdictOverLimit, reason: order.ReasonOverLimit},
		},
		"a number of another task": {
			facts{order: placed, row: row(func(s *order.Stored) { s.Task = "other" })}, verdict{Verdict: numberTaken},
		},
		"a number of another sale": {
			facts{order: placed, row: row(func(s *order.Stored) { s.Activity = "b" })}, verdict{Verdict: numberTaken},
		},
		"a repeat of an unpaid order": {
			facts{order: placed, first: one(func(*first) {})},
			repeat(lua.Repeat{State: lua.VerdictStored, Unpaid: true, Counts: true}, ""),
		},
		"a repeat at another point": {
			facts{order: placed, first: one(func(f *first) { f.Point = "1" })},
			repeat(lua.Repeat{State: lua.VerdictStored, Counts: true}, ""),
		},
		"a repeat of a cancelled order": {
			facts{order: placed, first: one(func(f *first) { f.Status = order.Cancelled })},
			repeat(lua.Repeat{State: lua.VerdictStored}, ""),
		},
		"a repeat of a failed order": {
			facts{order: placed, first: one(func(f *first) { f.Status, f.Reason = order.Failed, order.ReasonNoStock })},
			repeat(lua.Repeat{State: lua.VerdictFailed}, order.ReasonNoStock),
		},
		"a task of another buyer": {
			facts{order: placed, first: one(func(f *first) { f.User = "bob" })},
			dead(order.ReasonTaskTaken, "order 70 has this task"),
		},
		"a task with another body": {
			facts{order: placed, first: one(func(f *first) { f.Digest = "other" })},
			dead(order.ReasonTaskTaken, "order 70 has this task"),
		},
		"a buyer at a limit": {
			facts{order: placed, failed: fmt.Errorf("insert: %w", order.ErrLimit)},
			verdict{Verdict: lua.VerdictOverLimit, reason: order.ReasonOverLimit},
		},
		"no units": {
			facts{order: placed, failed: errors.Join(errGuard, nil)},
			verdict{Verdict: lua.VerdictFailed, reason: order.ReasonNoStock},
		},
		"a sale that SQL lacks": {
			facts{order: placed, failed: errNoActivity}, dead(order.ReasonNoActivity, errNoActivity.Error()),
		},
		"a row that SQL refuses": {facts{order: placed, failed: refused}, dead(order.ReasonBadRow, "row refused")},
	} {
		assert.Equal(t, c.want, decide(&c.facts), what)
	}
}
