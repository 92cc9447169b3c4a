package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

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
	verdict verdict // zero until decide has seen the entry; see verdict.go for who changes it afterwards
}

// peek reads a batch of a lane's queue with its records, from the index from on. It returns nil if there
// are no entries.
func (m *Mover) peek(ctx context.Context, lane, from int) (*batch, error) {
	for range 3 {
		b := &batch{asOf: m.store.epochs.asOf()}
		raws, err := m.lua.Redis.LRange(ctx, m.lua.Keys.Queue(lane), int64(from), int64(from+m.cfg.Batch-1)).Result()
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

// parkAfter is the age from which on an order with a record of a newer version of the program becomes a dead entry. An
// instance of that version has moved the order by then, if one runs; the next one that starts puts it back into the
// queue (replayReadable).
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

// storeAnyway is the age from which an order is stored that too few replicas have. A failover that loses it has
// happened by then, and SQL must not lack the orders of hours because a replica is away.
const storeAnyway = 10 * time.Second

// confirmed cuts a batch, which begins at an index of the queue, down to what may be stored; nil: nothing. The rest is
// tried again later. If a failover lost an order that SQL has already, the buyer's next request with the same
// Idempotency-Key would place a second order. So SQL gets only orders that the replicas have, and none that was read
// from a master which has been replaced meanwhile.
func (m *Mover) confirmed(ctx context.Context, lane, from int, b *batch) (*batch, error) {
	if m.cfg.Confirm.Replicas == 0 {
		return b, nil
	}
	entries := make([]string, len(b.waiting))
	for i := range b.waiting {
		entries[i] = b.waiting[i].entry.Raw
	}
	there, ok, err := m.lua.AwaitReplicas(ctx, lane, m.cfg.Confirm, from, entries)
	if err != nil {
		return nil, err
	}
	if b.waiting = b.waiting[:there]; there == 0 {
		return nil, nil
	}
	if ok {
		return b, nil
	}
	before, old := m.now().Add(-storeAnyway).UnixMilli(), 0
	for old < len(b.waiting) && b.waiting[old].entry.PlacedMS < before {
		old++
	}
	if b.waiting = b.waiting[:old]; old == 0 {
		onUnconfirmed.Mark()
		return nil, nil
	}
	onStoreAnyway.Mark()
	return b, nil
}

// epochs caches the load epochs of activities. Data from Redis may be written to SQL only if no load
// happened in between, so the epoch must be read from SQL *before* the data is read from Redis. A
// cached epoch was read earlier still; if it is outdated, storer.storeFailed refuses the write (errEpoch).
// Callers keep the epochs from before the read (asOf) with the data, since another goroutine may refresh
// the cache before the write.
type epochs struct {
	db *sqldb.DB

	mu    sync.Mutex
	known map[string]int64 // replaced, never changed
}

// maxKnownEpochs bounds the cache; when it is full, it is cleared.
const maxKnownEpochs = 10_000

func newEpochs(db *sqldb.DB) *epochs { return &epochs{db: db, known: map[string]int64{}} }

// asOf returns the epochs that are cached now. The caller must not modify the map.
func (e *epochs) asOf() map[string]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known
}

// forget removes the epoch of an activity, so that it is read from SQL again.
func (e *epochs) forget(activity string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known = maps.Clone(e.known)
	delete(e.known, activity)
}

// refresh reads the epochs of activities from SQL. An activity that SQL doesn't have gets -1, which no
// row has.
func (e *epochs) refresh(ctx context.Context, activities []string) error {
	if len(activities) == 0 {
		return nil
	}
	args := make([]any, len(activities))
	for i, a := range activities {
		args[i] = a
	}
	var rows []struct {
		Activity string `db:"activity_id"`
		Epoch    int64  `db:"epoch"`
	}
	query := `SELECT activity_id, MAX(epoch) AS epoch FROM activity_stock WHERE activity_id IN (` +
		sqldb.In(len(args)) + `) GROUP BY activity_id`
	if err := sqlx.SelectContext(ctx, e.db.Read, &rows, query, args...); err != nil {
		return fmt.Errorf("select epochs of %d activities: %w", len(activities), err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	known := make(map[string]int64, len(e.known)+len(activities))
	if len(e.known)+len(activities) <= maxKnownEpochs {
		maps.Copy(known, e.known)
	}
	for _, a := range activities {
		known[a] = -1
	}
	for _, r := range rows {
		known[r.Activity] = r.Epoch
	}
	e.known = known
	return nil
}
