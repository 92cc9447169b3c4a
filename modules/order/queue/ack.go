package queue

import (
	"context"
	"errors"
	"slices"
	"time"

	"onrush/lua"
	"onrush/modules/order"
)

// finish waits until SQL has stored the batch at the position of the walk w, settles its entries, and passes over those
// that stay in the queue. whole is false if the batch is to be read again, since its sale was loaded or another
// mover removed some of it.
func (m *Mover) finish(ctx context.Context, lane int, s *storing, w *walk) (moved int, whole bool, err error) {
	switch err := <-s.stored; {
	case errors.Is(err, errEpoch):
		onLoaded.Mark()
		return 0, false, nil // it is read again
	case err != nil:
		return 0, false, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchWithin)
	defer cancel()
	acked, err := m.ackBatch(ctx, lane, w.kept, s.batch)
	moved = s.settled(acked)
	m.metrics.add(s.waiting[:acked.Seen], m.now())
	if whole = acked.Seen == len(s.waiting); whole {
		w.pass(s.batch, acked)
	} else {
		onRemoved.Mark()
		w.kept = 0
	}
	return moved, whole, err
}

// settled returns how many entries of a batch were settled for the first time, and marks those that wait.
func (b *batch) settled(acked lua.Acked) (n int) {
	for _, at := range acked.Waits {
		b.waiting[at].verdict.Verdict = lua.VerdictWait
	}
	for i := range acked.Seen {
		// Without a record an entry was settled before, and is only removed.
		if w := &b.waiting[i]; w.verdict.Verdict != lua.VerdictWait && (i < acked.Removed || !w.lost) {
			n++
		}
	}
	return n
}

// ackBatch settles those entries of a batch that the queue still has from an index on.
func (m *Mover) ackBatch(ctx context.Context, lane, from int, b *batch) (lua.Acked, error) {
	if err := m.faults.After("before_ack"); err != nil {
		return lua.Acked{}, err
	}
	if at := slices.IndexFunc(b.waiting, isRenumbered); at == 0 {
		return lua.Acked{}, nil
	} else if at > 0 { // it has another entry now, with which it is read again
		b = &batch{waiting: b.waiting[:at], asOf: b.asOf}
	}
	if repeats := b.repeats(); len(repeats) > 0 {
		return m.ackRepeats(ctx, lane, from, b, repeats)
	}
	return m.ackEntries(ctx, lane, from, b)
}

func (m *Mover) ackEntries(ctx context.Context, lane, from int, b *batch) (lua.Acked, error) {
	acks, users, waits := make([]lua.Ack, len(b.waiting)), make([]string, 0, len(b.waiting)), []int(nil)
	for i := range b.waiting {
		if acks[i] = m.ack(&b.waiting[i]); acks[i].Verdict == lua.VerdictWait {
			waits = append(waits, i)
		} else {
			users = append(users, acks[i].User)
		}
	}
	if len(users) == 0 {
		return lua.Acked{Seen: len(acks), Waits: waits}, nil
	}
	var acked lua.Acked
	err := m.written.Noting(ctx, lane, users, func(note lua.Note) (err error) {
		acked, err = m.lua.AckMoved(ctx, lane, from, acks, note)
		return err
	})
	if err != nil {
		return lua.Acked{}, err
	}
	m.reportBroken(ctx, acked.Broken)
	return acked, m.faults.After("ack")
}

// brokenAgain is how often it is logged that keys of a sale can't be read.
const brokenAgain = time.Minute

// reportBroken logs that keys of sales can't be read: tasks keep their state, or units and counts aren't given back.
func (m *Mover) reportBroken(ctx context.Context, activities []string) {
	for _, a := range activities {
		now := m.now()
		known, _ := m.broken.Load(a)
		if last, ok := known.(time.Time); ok && now.Sub(last).Abs() < brokenAgain {
			continue
		}
		onBrokenKeys.Mark()
		m.broken.Store(a, now)
		m.log.ErrorContext(ctx, "keys of a sale in Redis can't be read; load the sale again", "activity_id", a)
	}
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
	case lua.VerdictStored, lua.VerdictFailed, lua.VerdictWait:
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
