package queue

import (
	"context"
	"fmt"

	"onrush/lua"
	"onrush/modules/order"
)

// ackBatch removes those entries of a batch that are still at the head of the queue, and returns how
// many.
func (m *Mover) ackBatch(ctx context.Context, lane int, b *batch) (acked int, err error) {
	if err := m.faults.After("before_ack"); err != nil {
		return 0, err
	}
	if repeats := b.repeats(); len(repeats) > 0 {
		return m.ackRepeats(ctx, lane, b, repeats)
	}
	return m.ackEntries(ctx, lane, b)
}

func (m *Mover) ackEntries(ctx context.Context, lane int, b *batch) (acked int, err error) {
	acks := make([]lua.Ack, len(b.waiting))
	for i := range b.waiting {
		acks[i] = m.ack(&b.waiting[i])
	}
	users := make([]string, len(acks))
	for i := range acks {
		users[i] = acks[i].User
	}
	err = m.written.Noting(ctx, lane, users, func(note lua.Note) (err error) {
		acked, err = m.lua.AckMoved(ctx, lane, acks, note)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("ack %d entries: %w", len(acks), err)
	}
	return acked, m.faults.After("ack")
}

func (m *Mover) ack(w *waiting) lua.Ack {
	a := lua.Ack{
		Entry: w.entry.Raw, Activity: w.entry.Activity, User: w.entry.User,
		Verdict: w.verdict.Verdict, Reason: w.verdict.reason, Of: w.verdict.of, Bought: w.verdict.bought,
	}
	if w.entry.Number > 0 {
		a.Number = w.entry.Number.String()
	}
	if w.order != nil {
		a.Task = order.TaskHash(w.order.Task)
	}
	switch a.Verdict {
	case lua.VerdictStored, lua.VerdictFailed:
	case lua.VerdictOverLimit:
		m.log.Warn("order failed: its buyer has reached a purchase limit", "entry", w.entry.Raw)
	case lua.VerdictRepeat:
		m.log.Warn("order was placed again, since Redis had lost its task", "entry", w.entry.Raw,
			"detail", w.verdict.detail)
	case lua.VerdictDead:
		m.log.Error("order can't be stored", "entry", w.entry.Raw, "reason", w.verdict.reason,
			"detail", w.verdict.detail)
		a.DeadID, a.Dead = DeadID(w.entry), m.dead(w)
	}
	return a
}
