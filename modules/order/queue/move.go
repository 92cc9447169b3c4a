package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/logpositions"
	"onrush/modules/panics"
	"onrush/modules/redisdb"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// Mover moves orders from the lanes' queues to SQL: peek, commit, ack. It reads entries without
// removing them, stores their orders in one transaction, and only then removes them from the queue.
// After a crash between any two steps it repeats work, without a different result.
type Mover struct {
	cfg     MoverConfig
	store   *storer
	lua     *lua.Scripts
	written *logpositions.Store
	site    *site.Site
	locks   *redisdb.Locks
	now     func() time.Time
	log     *slog.Logger
	faults  order.Faults
	tracer  *tracing.Tracer
	metrics *moveMetrics
	busy    *sqldb.Busy  // of the pool
	walks   sync.Map     // lane → walk, of lanes whose head waits
	due     sync.Map     // lane → dueCursor
	newer   sync.Map     // lanes with a record of a newer version
	broken  sync.Map     // activity → when it was logged that its keys can't be read
	full    atomic.Int64 // when the last full batch began, in ms; 0 if there was none
}

// NewMover returns a Mover; the error says which bounds of cfg are wrong.
func NewMover(cfg MoverConfig, d Deps) (*Mover, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Mover{
		cfg: cfg, store: newStorer(d), lua: d.Lua, written: d.Written, site: d.Site, locks: d.Locks, now: d.Clock.Now,
		log: d.Log, faults: d.Faults, tracer: d.Tracer, metrics: newMoveMetrics(), busy: d.DB.Busy,
	}, nil
}

// RunOnce moves the entries of all lanes, at most batchesPerRun batches per lane, and returns how many
// entries it removed from the queues. It skips a lane whose lock another mover has.
func (m *Mover) RunOnce(ctx context.Context) (moved int, err error) {
	moved, _, err = m.runOnce(ctx)
	return moved, err
}

// runOnce works like RunOnce. taken is how many lanes it skipped, since another mover has their locks.
func (m *Mover) runOnce(ctx context.Context) (moved, taken int, err error) {
	busy, err := m.busyLanes(ctx)
	type result struct {
		moved int
		err   error
	}
	slots := make(chan struct{}, lanesAtOnce)
	results := make(chan result, len(busy))
	for _, lane := range busy {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			n, err := panics.RecoveredValue(func() (int, error) {
				return m.tryLane(ctx, lane, everything, batchesAtOnce)
			})
			results <- result{n, err}
		}()
	}
	for range busy {
		r := <-results
		moved += r.moved
		if errors.Is(r.err, redisdb.ErrLocked) {
			taken++
			continue
		}
		err = errors.Join(err, r.err)
	}
	return moved, taken, err
}

// busyLanes returns the lanes whose queue isn't empty, and an error as lengths does.
func (m *Mover) busyLanes(ctx context.Context) ([]int, error) {
	lengths, err := m.lengths(ctx)
	var busy []int
	for lane, length := range lengths {
		if length > 0 {
			busy = append(busy, lane)
		}
	}
	return busy, err
}

// runLane works like tryLane, but does nothing if another mover has the lane's lock.
func (m *Mover) runLane(ctx context.Context, lane int, limit int64, atOnce int) (moved int, err error) {
	moved, err = m.tryLane(ctx, lane, limit, atOnce)
	if errors.Is(err, redisdb.ErrLocked) {
		return 0, nil
	}
	return moved, err
}

// tryLane moves up to limit orders of a lane, and the rest of the last batch; up to atOnce batches at the same time. If
// another mover has the lane's lock, the error is redisdb.ErrLocked.
func (m *Mover) tryLane(ctx context.Context, lane int, limit int64, atOnce int) (moved int, err error) {
	err = m.locks.Try(ctx, []string{m.lua.Keys.MoveLock(lane)}, func(ctx context.Context) error {
		moved, err = m.moveBatches(ctx, lane, limit, atOnce)
		return err
	})
	if err != nil {
		return moved, fmt.Errorf("move lane %d: %w", lane, err)
	}
	return moved, nil
}

// batchWithin bounds one batch.
const batchWithin = 15 * time.Second

// moveBatches moves batches until limit orders are moved, the queue is empty, ctx ends, or the run's bound is reached.
// SQL stores up to atOnce batches at the same time and may commit a later one first; they are removed from the queue
// in the queue's order. Entries that wait stay at the head of the queue, and are passed over. Batches that have begun
// are completed when ctx ends.
func (m *Mover) moveBatches(ctx context.Context, lane int, limit int64, atOnce int) (moved int, err error) {
	w := m.resumeWalk(ctx, lane)
	defer func() { m.leaveWalk(lane, w) }()
	var begun batches
	defer func() { begun.wait() }()
	for left, more := batchesPerRun, true; ; {
		for more && left > 0 && len(begun) < atOnce && int64(moved+begun.len()) < limit && ctx.Err() == nil {
			var next *storing
			if next, err = m.begin(ctx, lane, w.kept+begun.len()); next == nil {
				more = false
				break
			}
			begun = append(begun, next)
			left--
		}
		if len(begun) == 0 {
			return moved, err
		}
		n, whole, failed := m.finish(ctx, lane, begun[0], w)
		moved, begun = moved+n, begun[1:]
		if err = errors.Join(err, failed); err != nil {
			return moved, err
		}
		if !whole { // what follows may no longer be where it was read
			begun.wait()
			begun, more = nil, true
		}
	}
}

// MoveLane moves one batch of a lane, without a lock, since concurrent movers are harmless. more says
// whether entries may be left.
func (m *Mover) MoveLane(ctx context.Context, lane int) (moved int, more bool, err error) {
	head, err := m.begin(ctx, lane, 0)
	if err != nil || head == nil {
		return 0, false, err
	}
	moved, _, err = m.finish(ctx, lane, head, &walk{})
	return moved, true, err
}

// storing is a batch that SQL stores.
type storing struct {
	*batch
	stored chan error // gets the result, and is closed
}

// batches are at the head of a queue, one after the other.
type batches []*storing

// len returns the number of entries.
func (b batches) len() (entries int) {
	for _, s := range b {
		entries += len(s.waiting)
	}
	return entries
}

// wait returns when SQL stores none of them any more. What was not stored is still in the queue.
func (b batches) wait() {
	for _, s := range b {
		<-s.stored
	}
}

// busyFor is how long a mover counts as busy after a full batch began.
const busyFor = 300 * time.Millisecond

// Busy reports whether this mover has a backlog: it began a full batch a moment ago.
func (m *Mover) Busy() bool { return m.now().UnixMilli()-m.full.Load() < busyFor.Milliseconds() }

// begin reads a batch that starts at an index of the queue, and lets SQL store it. It returns nil if there are no
// entries.
func (m *Mover) begin(ctx context.Context, lane, from int) (*storing, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchWithin)
	b, err := m.peek(ctx, lane, from)
	if err == nil && b != nil {
		err = m.faults.After("peek")
	}
	if err == nil && b != nil {
		b, err = m.confirmed(ctx, lane, from, b)
	}
	if err != nil || b == nil {
		cancel()
		return nil, err
	}
	if len(b.waiting) >= m.cfg.Batch {
		m.full.Store(m.now().UnixMilli())
	}
	s := &storing{batch: b, stored: make(chan error, 1)}
	go func() {
		defer cancel()
		defer close(s.stored)
		s.stored <- panics.Recovered(func() (err error) {
			ctx, joined := m.tracer.Join(ctx, "move order", b.traces())
			defer func() { joined.End(err) }()
			return m.storeBatch(ctx, b)
		})
	}()
	return s, nil
}
