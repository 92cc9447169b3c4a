package queue

import (
	"context"
	"errors"
	"fmt"

	"onrush/lua"
	"onrush/modules/order"
)

// numberTaken is the verdict on an order whose number another order in SQL has. It is not acknowledged: the order gets
// a new number, and is stored under it when the queue is read again.
const numberTaken lua.Verdict = "N"

func isRenumbered(w waiting) bool { return w.verdict.Verdict == numberTaken }

// renumberTries bounds how many numbers are tried for one order.
const renumberTries = 5

// errLoading says that the activity of an order is being loaded: it can't be renumbered yet.
var errLoading = errors.New("the activity is being loaded")

// renumber gives a new number to each order of a batch whose number another order in SQL has.
func (m *Mover) renumber(ctx context.Context, ready []*waiting) error {
	for _, w := range ready {
		if w.verdict.Verdict != numberTaken {
			continue
		}
		switch err := m.store.renumber(ctx, &w.entry, w.order); {
		case errors.Is(err, errLoading):
			w.verdict = decide(&facts{locked: true})
		case err != nil:
			return err
		default:
			m.metrics.renumbered.Inc()
		}
	}
	return nil
}

// renumber gives an order in a queue another number, since SQL has a different order with its number. Package numbers
// says why that doesn't happen; this keeps the order if it happens all the same.
//
//	queue, record, hold and task with number A ──renumber_order.lua──▶ the same with number B ──▶ stored as any order
//
// The script does it in one step, and only while the queue has the entry: a crash before it changes nothing, and of two
// movers one succeeds. The buyer finds the order under B in their list and by its task; A is the other buyer's order.
// An entry that the queue no longer has was renumbered, or stored, by somebody else.
func (s *storer) renumber(ctx context.Context, e *order.Entry, o *order.Order) error {
	lane := e.Number.Lane()
	for range renumberTries {
		n, err := s.numbers.Next(ctx, lane)
		if err != nil {
			return err
		}
		moved := *o
		moved.Number = n
		record, err := order.EncodeRecord(&moved)
		if err != nil {
			return err
		}
		code, err := s.lua.Renumber(ctx, lua.Renumber{
			Lane: lane, Activity: e.Activity, User: e.User, Task: order.TaskHash(o.Task), Number: e.Number.String(),
			Entry: e.Raw, NewNumber: n.String(), NewRecord: record,
			NewEntry: order.FormatEntry(n, e.PlacedMS, e.Activity, e.User),
		})
		switch {
		case err != nil:
			return err
		case code == lua.Renumbered:
			onRenumbered.Mark()
			s.log.ErrorContext(ctx, "two orders had one number; the later one has another now", "number", e.Number,
				"new_number", n, "activity_id", e.Activity)
			return s.faults.After("renumber")
		case code == lua.RenumberGone:
			onRenumberGone.Mark()
			return nil
		case code == lua.RenumberLoading:
			onRenumberLoading.Mark()
			return errLoading
		}
		s.numbers.Taken(n)
	}
	return fmt.Errorf("renumber order %s: no unused number", e.Number)
}
