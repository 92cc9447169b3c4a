package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"onrush/lua"
	"onrush/modules/order"
)

// batch is a sequence of at least one entry of a lane's queue.
type batch struct {
	waiting []waiting
	asOf    map[string]int64 // the epochs of their activities from before the read
}

// waiting is a queue entry with its order, or with a verdict that says why there is none.
type waiting struct {
	entry   order.Entry
	order   *order.Order
	newer   bool    // a newer version of the program wrote its record
	verdict verdict // final once the verdict is set
}

// peek reads a batch of a lane's queue with its records, from the index from on. It returns nil if there
// are no entries.
func (m *Mover) peek(ctx context.Context, lane, from int) (*batch, error) {
	for range 3 {
		b := &batch{asOf: m.store.epochs.asOf()}
		raws, err := m.lua.Redis.LRange(ctx, m.lua.Keys.LockLog(lane), int64(from), int64(from+m.cfg.Batch-1)).Result()
		if err != nil {
			return nil, fmt.Errorf("read queue: %w", err)
		}
		if len(raws) == 0 {
			return nil, nil
		}
		b.waiting = make([]waiting, len(raws))
		var unknown []string
		asked := map[string]bool{}
		for i, raw := range raws {
			b.waiting[i].entry, err = order.ParseEntry(raw)
			if err != nil {
				b.waiting[i].verdict = verdict{
					Verdict: lua.VerdictDead, reason: order.ReasonBadEntry, detail: err.Error(),
				}
				continue
			}
			a := b.waiting[i].entry.Activity
			if _, ok := b.asOf[a]; !ok && !asked[a] {
				asked[a] = true
				unknown = append(unknown, a)
			}
		}
		if len(unknown) == 0 {
			return m.withRecords(ctx, lane, b)
		}
		if err := m.store.epochs.refresh(ctx, unknown); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("read queue: each read has entries of new activities")
}

// withRecords reads the records of a batch. The batch ends before a record of a newer version of the
// program: entries are removed from the queue in order, so a newer instance must move the lane from
// there on.
func (m *Mover) withRecords(ctx context.Context, lane int, b *batch) (*batch, error) {
	if err := m.readRecords(ctx, lane, b.waiting); err != nil {
		return nil, err
	}
	newer := slices.IndexFunc(b.waiting, func(w waiting) bool { return w.newer })
	if newer < 0 {
		return b, nil
	}
	if _, known := m.newer.LoadOrStore(lane, true); !known {
		m.log.WarnContext(ctx,
			"a lane has orders of a newer version of the program; only instances of that version move them",
			"lane", lane, "entry", b.waiting[newer].entry.Raw)
	}
	if newer == 0 {
		return nil, nil
	}
	b.waiting = b.waiting[:newer]
	return b, nil
}

// readRecords reads the records of a batch.
func (m *Mover) readRecords(ctx context.Context, lane int, batch []waiting) error {
	entries, at := make([]order.Entry, 0, len(batch)), make([]int, 0, len(batch))
	for i := range batch {
		if batch[i].verdict.Verdict == "" {
			entries, at = append(entries, batch[i].entry), append(at, i)
		}
	}
	found, err := order.ReadCached(ctx, m.lua.Redis, m.lua.Keys, lane, entries)
	if err != nil {
		return err
	}
	for i, cached := range found {
		w := &batch[at[i]]
		switch {
		case errors.Is(cached.Err, order.ErrNewerRecord):
			w.newer = true
		case cached.Err != nil:
			w.verdict = verdict{Verdict: lua.VerdictDead, reason: order.ReasonBadRecord, detail: cached.Err.Error()}
		default:
			w.order = cached.Order // nil if Redis doesn't have it: SQL may, which storeBatch checks
		}
	}
	return nil
}

// storeBatch stores the orders of a batch and sets the verdict of every entry.
func (m *Mover) storeBatch(ctx context.Context, b *batch) error {
	batch := b.waiting
	var orders []*order.Order
	var at []int
	for i := range batch {
		if batch[i].order != nil {
			orders = append(orders, batch[i].order)
			at = append(at, i)
		}
	}
	if len(orders) > 0 {
		verdicts, err := m.store.store(ctx, orders, b.asOf)
		if err != nil {
			return err
		}
		for j, v := range verdicts {
			batch[at[j]].verdict = v
		}
	}
	for i := range batch {
		if batch[i].verdict.Verdict != "" {
			continue
		}
		if err := m.storeLost(ctx, &batch[i]); err != nil {
			return err
		}
	}
	return m.readBought(ctx, batch)
}

// readBought reads the counts in SQL of the buyers of orders over a limit: their counts in Redis must
// not become lower. The sku of an entry without a record is unknown.
func (m *Mover) readBought(ctx context.Context, batch []waiting) (err error) {
	for i := range batch {
		w := &batch[i]
		if w.verdict.Verdict != lua.VerdictOverLimit || w.order == nil || len(w.order.Items) == 0 {
			continue
		}
		b := &w.verdict.bought
		b.All, b.SKU, err = order.SelectBought(ctx, m.store.db.Write, w.entry.Activity, w.entry.User,
			w.order.Items[0].SKU)
		if err != nil {
			return err
		}
	}
	return nil
}

// storeLost sets the verdict of an entry without a record: stored already, or dead.
func (m *Mover) storeLost(ctx context.Context, w *waiting) error {
	known, err := selectKnown(ctx, m.store.db.Write, []*order.Order{{Number: w.entry.Number}})
	if err != nil {
		return err
	}
	sqlHas, ok := known[w.entry.Number]
	switch {
	case !ok || sqlHas.User != w.entry.User:
		w.verdict = verdict{Verdict: lua.VerdictDead, reason: order.ReasonNoRecord}
	case sqlHas.Status == order.Failed:
		w.verdict = verdict{Verdict: failedVerdict(sqlHas.Reason), reason: sqlHas.Reason}
	default:
		w.verdict = verdict{Verdict: lua.VerdictStored}
	}
	if ok {
		w.order = &order.Order{Number: w.entry.Number, Task: sqlHas.Task}
	}
	return nil
}

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
	acked, err = m.lua.AckMoved(ctx, lane, acks)
	if err != nil {
		return 0, fmt.Errorf("ack %d entries: %w", len(acks), err)
	}
	return acked, m.faults.After("ack")
}

// DeadEntry is a queue entry that can't be stored, as the dead hash keeps it.
type DeadEntry struct {
	Entry  string `json:"entry"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
	AtMS   int64  `json:"at"`
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

// dead returns the value of an entry in the dead hash.
func (m *Mover) dead(w *waiting) string {
	dead, err := json.Marshal(DeadEntry{
		Entry: w.entry.Raw, Reason: w.verdict.reason, Detail: w.verdict.detail, AtMS: m.now().UnixMilli(),
	})
	if err != nil { // can't happen with strings and numbers, and must not lose the entry
		return strconv.Quote(w.entry.Raw)
	}
	return string(dead)
}
