package queue

import (
	"errors"

	"onrush/lua"
	"onrush/modules/order"
)

// verdict is what becomes of a queue entry.
type verdict struct {
	lua.Verdict
	reason string
	detail string       // for operators: the error of the store
	first  order.Number // of a repeat: the order that has its task
	of     lua.Repeat   // of a repeat: the state of that order
	bought lua.Bought   // of an order over a limit: the buyer's counts in SQL
}

// facts are what Redis and SQL say about a queue entry, as far as they were asked. A field that is zero was not asked,
// or says nothing.
type facts struct {
	entry    order.Entry
	entryErr error // why the entry can't be read
	// locked says that the order can't be stored yet: another transaction has locked the rows of its sale, the sale is
	// being loaded, or the function of the host program refused the order.
	locked bool

	order     *order.Order // of its record; nil if Redis has none
	recordErr error        // why the record can't be read
	nowMS     int64

	row    *order.Stored // of SQL, with the order's number
	first  *first        // of SQL, with the order's task
	failed error         // why SQL has no units or no room under a limit, or refused the row
}

// decide returns what becomes of an entry. Afterwards three places change a verdict: first.repeated below, with the
// rows of the repeated orders locked; renumber.go, for an order that got a new number; and batch.settled, for an entry
// that the script left in the queue.
func decide(f *facts) verdict {
	switch {
	case f.entryErr != nil:
		onBadEntry.Mark()
		return verdict{Verdict: lua.VerdictDead, reason: order.ReasonBadEntry, detail: f.entryErr.Error()}
	case f.locked:
		onLocked.Mark()
		return verdict{Verdict: lua.VerdictWait}
	case errors.Is(f.recordErr, order.ErrNewerRecord):
		if f.nowMS-f.entry.PlacedMS < parkAfter.Milliseconds() {
			onNewer.Mark()
			return verdict{Verdict: lua.VerdictWait}
		}
		onParked.Mark()
		return verdict{Verdict: lua.VerdictDead, reason: order.ReasonNewerRecord}
	case f.recordErr != nil:
		onBadRecord.Mark()
		return verdict{Verdict: lua.VerdictDead, reason: order.ReasonBadRecord, detail: f.recordErr.Error()}
	case f.row != nil:
		return f.stored()
	case f.order == nil:
		onNoRecord.Mark()
		return verdict{Verdict: lua.VerdictDead, reason: order.ReasonNoRecord}
	case f.first != nil:
		return f.first.repeated(f.order)
	case errors.Is(f.failed, order.ErrLimit):
		onOverLimit.Mark()
		return verdict{Verdict: lua.VerdictOverLimit, reason: order.ReasonOverLimit}
	case errors.Is(f.failed, errGuard):
		onNoStock.Mark()
		return verdict{Verdict: lua.VerdictFailed, reason: order.ReasonNoStock}
	case errors.Is(f.failed, errNoActivity):
		onNoSale.Mark()
		return verdict{Verdict: lua.VerdictDead, reason: order.ReasonNoActivity, detail: f.failed.Error()}
	case f.failed != nil:
		onBadRow.Mark()
		return verdict{Verdict: lua.VerdictDead, reason: order.ReasonBadRow, detail: f.failed.Error()}
	}
	return verdict{Verdict: lua.VerdictStored}
}

// stored returns the verdict on an entry whose number an order in SQL has.
func (f *facts) stored() verdict {
	onStored.Mark()
	switch {
	case f.order == nil && (f.row.User != f.entry.User || f.row.Activity != f.entry.Activity):
		return verdict{Verdict: lua.VerdictDead, reason: order.ReasonNoRecord}
	case f.order != nil && !f.row.IsOf(f.order):
		onNumberTaken.Mark()
		return verdict{Verdict: numberTaken}
	case f.row.Status == order.Failed && f.row.Reason == order.ReasonOverLimit:
		return verdict{Verdict: lua.VerdictOverLimit, reason: f.row.Reason}
	case f.row.Status == order.Failed:
		return verdict{Verdict: lua.VerdictFailed, reason: f.row.Reason}
	}
	return verdict{Verdict: lua.VerdictStored}
}

// repeated returns the verdict on an order that can't be stored because f, which SQL has, has its task. If both
// have the same buyer and body, Redis had lost the task when the buyer sent it again.
func (f *first) repeated(o *order.Order) verdict {
	detail := "order " + f.Number.String() + " has this task"
	if f.User != o.User || f.Digest != o.Digest || f.Activity != o.Activity {
		onTaskTaken.Mark()
		return verdict{Verdict: lua.VerdictDead, reason: order.ReasonTaskTaken, detail: detail}
	}
	v := verdict{Verdict: lua.VerdictRepeat, detail: detail, first: f.Number}
	onRepeat.Mark()
	v.of = lua.Repeat{
		Number: f.Number.String(), State: lua.VerdictStored, Unpaid: f.Status == order.Unpaid && f.Point == o.Point,
		Counts: f.Status != order.Cancelled && f.Status != order.Failed,
	}
	if f.Status == order.Failed {
		v.of.State, v.reason = lua.VerdictFailed, f.Reason
	}
	return v
}
