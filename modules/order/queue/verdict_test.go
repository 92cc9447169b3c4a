package queue

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/lua"
	"onrush/modules/order"
)

var (
	oneEntry = order.Entry{Number: 77, PlacedMS: 1000, Activity: "a", User: "ada"}
	oneOrder = &order.Order{
		Number: 77, User: "ada", Task: "task", Digest: "body", Content: order.Content{Activity: "a", Point: "0"},
	}
	itWaits       = verdict{Verdict: lua.VerdictWait}
	asStored      = verdict{Verdict: lua.VerdictStored}
	verdictParked = oneEntry.PlacedMS + parkAfter.Milliseconds()
	errRefusedRow = errors.New("row refused")
	errNewer      = fmt.Errorf("read: %w", order.ErrNewerRecord)
)

func rowWith(change func(*order.Stored)) *order.Stored {
	s := &order.Stored{Number: 77, User: "ada", Task: "task", Activity: "a", Status: order.Unpaid}
	change(s)
	return s
}

func failedFor(reason string) func(*order.Stored) {
	return func(s *order.Stored) { s.Status, s.Reason = order.Failed, reason }
}

func firstWith(change func(*first)) *first {
	f := &first{Number: 70, User: "ada", Digest: "body", Activity: "a", Point: "0", Status: order.Unpaid}
	change(f)
	return f
}

func failedFirst(f *first) { f.Status, f.Reason = order.Failed, order.ReasonNoStock }

func deadFor(reason, detail string) verdict {
	return verdict{Verdict: lua.VerdictDead, reason: reason, detail: detail}
}

func repeatOf(of lua.Repeat, reason string) verdict {
	of.Number = "70"
	return verdict{Verdict: lua.VerdictRepeat, reason: reason, detail: "order 70 has this task", first: 70, of: of}
}

// The order of the cases is the order in which the facts are learned: the first one decides.
var verdicts = map[string]struct {
	facts facts
	want  verdict
}{
	"an entry that can't be read": {
		facts{entryErr: errRefusedRow, locked: true}, deadFor(order.ReasonBadEntry, "row refused"),
	},
	"a sale that is locked": {facts{locked: true, order: oneOrder}, itWaits},
	"a record of a newer version": {
		facts{entry: oneEntry, recordErr: errNewer, nowMS: verdictParked - 1}, itWaits,
	},
	"a record of a newer version for long": {
		facts{entry: oneEntry, recordErr: errNewer, nowMS: verdictParked}, deadFor(order.ReasonNewerRecord, ""),
	},
	"a record that can't be read": {
		facts{entry: oneEntry, recordErr: errRefusedRow}, deadFor(order.ReasonBadRecord, "row refused"),
	},
	"neither a record nor a row": {facts{entry: oneEntry}, deadFor(order.ReasonNoRecord, "")},
	"a row without a record":     {facts{entry: oneEntry, row: rowWith(func(*order.Stored) {})}, asStored},
	"a failed row without a record": {
		facts{entry: oneEntry, row: rowWith(failedFor(order.ReasonDiscarded))},
		verdict{Verdict: lua.VerdictFailed, reason: order.ReasonDiscarded},
	},
	"no record, and the row of another buyer": {
		facts{entry: oneEntry, row: rowWith(func(s *order.Stored) { s.User = "bob" })},
		deadFor(order.ReasonNoRecord, ""),
	},
	"no record, and the row of another sale": {
		facts{entry: oneEntry, row: rowWith(func(s *order.Stored) { s.Activity = "b" })},
		deadFor(order.ReasonNoRecord, ""),
	},
	"a new order":    {facts{order: oneOrder}, asStored},
	"a stored order": {facts{order: oneOrder, row: rowWith(func(*order.Stored) {})}, asStored},
	"a stored order of an erased buyer": {
		facts{order: oneOrder, row: rowWith(func(s *order.Stored) { s.User = "erased-1" })}, asStored,
	},
	"a stored order that failed": {
		facts{order: oneOrder, row: rowWith(failedFor(order.ReasonNoStock))},
		verdict{Verdict: lua.VerdictFailed, reason: order.ReasonNoStock},
	},
	"a stored order over a limit": {
		facts{order: oneOrder, row: rowWith(failedFor(order.ReasonOverLimit))},
		verdict{Verdict: lua.VerdictOverLimit, reason: order.ReasonOverLimit},
	},
	"a number of another task": {
		facts{order: oneOrder, row: rowWith(func(s *order.Stored) { s.Task = "other" })}, verdict{Verdict: numberTaken},
	},
	"a number of another sale": {
		facts{order: oneOrder, row: rowWith(func(s *order.Stored) { s.Activity = "b" })}, verdict{Verdict: numberTaken},
	},
	"a repeat of an unpaid order": {
		facts{order: oneOrder, first: firstWith(func(*first) {})},
		repeatOf(lua.Repeat{State: lua.VerdictStored, Unpaid: true, Counts: true}, ""),
	},
	"a repeat at another point": {
		facts{order: oneOrder, first: firstWith(func(f *first) { f.Point = "1" })},
		repeatOf(lua.Repeat{State: lua.VerdictStored, Counts: true}, ""),
	},
	"a repeat of a cancelled order": {
		facts{order: oneOrder, first: firstWith(func(f *first) { f.Status = order.Cancelled })},
		repeatOf(lua.Repeat{State: lua.VerdictStored}, ""),
	},
	"a repeat of a failed order": {
		facts{order: oneOrder, first: firstWith(failedFirst)},
		repeatOf(lua.Repeat{State: lua.VerdictFailed}, order.ReasonNoStock),
	},
	"a task of another buyer": {
		facts{order: oneOrder, first: firstWith(func(f *first) { f.User = "bob" })},
		deadFor(order.ReasonTaskTaken, "order 70 has this task"),
	},
	"a task with another body": {
		facts{order: oneOrder, first: firstWith(func(f *first) { f.Digest = "other" })},
		deadFor(order.ReasonTaskTaken, "order 70 has this task"),
	},
	"a buyer at a limit": {
		facts{order: oneOrder, failed: fmt.Errorf("insert: %w", order.ErrLimit)},
		verdict{Verdict: lua.VerdictOverLimit, reason: order.ReasonOverLimit},
	},
	"no units": {
		facts{order: oneOrder, failed: errors.Join(errGuard, nil)},
		verdict{Verdict: lua.VerdictFailed, reason: order.ReasonNoStock},
	},
	"a sale that SQL lacks": {
		facts{order: oneOrder, failed: errNoActivity}, deadFor(order.ReasonNoActivity, errNoActivity.Error()),
	},
	"a row that SQL refuses": {
		facts{order: oneOrder, failed: errRefusedRow},
		deadFor(order.ReasonBadRow, "row refused"),
	},
}

func TestTheVerdictOnAnEntryFollowsFromWhatTheStoresSay(t *testing.T) {
	t.Parallel()
	for what, c := range verdicts {
		assert.Equal(t, c.want, decide(&c.facts), what)
	}
}
