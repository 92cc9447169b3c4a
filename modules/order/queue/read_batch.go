package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"onrush/modules/order"
	"onrush/modules/order/unstored"
	"onrush/modules/sqldb"
)

// batch is a sequence of at least one entry of a lane's queue.
type batch struct {
	waiting []waiting
	asOf    map[string]int64 // the epochs of their activities from before the read
}

// traces returns the traces of its orders that were sampled.
func (b *batch) traces() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range b.waiting {
			if o := b.waiting[i].order; o != nil && o.Trace != "" && !yield(o.Trace) {
				return
			}
		}
	}
}

// waiting is a queue entry with its order, or with a verdict that says why there is none.
type waiting struct {
	entry   order.Entry
	order   *order.Order
	lost    bool    // it has no record
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
				b.waiting[i].verdict = decide(&facts{entryErr: err})
				continue
			}
			a := b.waiting[i].entry.Activity
			if m.busy.Skips(sqldb.StockOf(a)) {
				b.waiting[i].verdict = decide(&facts{locked: true})
				continue
			}
			if _, ok := b.asOf[a]; !ok && !asked[a] {
				asked[a] = true
				unknown = append(unknown, a)
			}
		}
		if len(unknown) == 0 {
			return b, m.readRecords(ctx, lane, b.waiting)
		}
		if err := m.store.epochs.refresh(ctx, unknown); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("read queue: each read has entries of new activities")
}

// readRecords reads the records of a batch.
func (m *Mover) readRecords(ctx context.Context, lane int, batch []waiting) error {
	entries, at := make([]order.Entry, 0, len(batch)), make([]int, 0, len(batch))
	for i := range batch {
		if batch[i].verdict.Verdict == "" {
			entries, at = append(entries, batch[i].entry), append(at, i)
		}
	}
	found, err := unstored.Read(ctx, m.lua.Redis, m.lua.Keys, lane, entries)
	if err != nil {
		return err
	}
	for i, cached := range found {
		w := &batch[at[i]]
		if cached.Err == nil {
			w.order, w.lost = cached.Order, cached.Order == nil // SQL may have it, which storeLost checks
			continue
		}
		if errors.Is(cached.Err, order.ErrNewerRecord) {
			m.noteNewer(ctx, lane, w)
		}
		w.verdict = decide(&facts{entry: w.entry, recordErr: cached.Err, nowMS: m.now().UnixMilli()})
	}
	return nil
}

// parkAfter is from which age on the order of a newer version of the program becomes a dead entry. An instance of
// that version has moved it by then, if there is one; the next one puts it back (Inspector.ReplayReadable).
const parkAfter = 30 * time.Second

// noteNewer logs once that a lane has an entry whose record a newer version of the program wrote: it waits for an
// instance of that version.
func (m *Mover) noteNewer(ctx context.Context, lane int, w *waiting) {
	if _, known := m.newer.LoadOrStore(lane, true); !known {
		m.log.WarnContext(ctx,
			"a lane has orders of a newer version of the program; only instances of that version move them",
			"lane", lane, "entry", w.entry.Raw)
	}
}
