package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/web/problem"
)

// Mover moves orders from the lanes' queues to SQL: peek, commit, ack. It reads entries without
// removing them, stores their orders in one transaction, and only then removes them from the queue.
// After a crash between any two steps it repeats work, without a different result.
type Mover struct {
	cfg    MoverConfig
	store  *storer
	lua    *lua.Scripts
	locks  *lua.Locks
	now    func() time.Time
	log    *slog.Logger
	faults order.Faults
	newer  sync.Map // lanes whose head has a record of a newer version
}

// NewMover returns a Mover; the error says which bounds of cfg are wrong.
func NewMover(cfg MoverConfig, d Deps) (*Mover, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Mover{
		cfg: cfg, store: newStorer(d), lua: d.Lua, locks: d.Locks, now: d.Clock.Now, log: d.Log, faults: d.Faults,
	}, nil
}

// RunOnce moves the entries of all lanes, at most BatchesPerRun batches per lane, and returns how many
// entries it removed from the queues. It skips a lane whose lock another mover has.
func (m *Mover) RunOnce(ctx context.Context) (moved int, err error) {
	busy, err := m.busyLanes(ctx)
	type result struct {
		moved int
		err   error
	}
	slots := make(chan struct{}, m.cfg.AtOnce)
	results := make(chan result, len(busy))
	for _, lane := range busy {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			n, err := problem.Recovered(func() (int, error) { return m.runLane(ctx, lane, everything) })
			results <- result{n, err}
		}()
	}
	for range busy {
		r := <-results
		moved += r.moved
		err = errors.Join(err, r.err)
	}
	return moved, err
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

// unknown is the length of a queue that can't be read.
const unknown = -1

// lengths returns the lengths of the queues by lane, and an error if some are unknown.
func (m *Mover) lengths(ctx context.Context) ([]int64, error) {
	reads := make([]*redis.IntCmd, m.cfg.Lanes+1)
	_, err := m.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for lane := 1; lane <= m.cfg.Lanes; lane++ {
			reads[lane] = p.LLen(ctx, m.lua.Keys.LockLog(lane))
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("read queue lengths: %w", err)
	}
	lengths := make([]int64, m.cfg.Lanes+1)
	for lane := 1; lane <= m.cfg.Lanes; lane++ {
		lengths[lane] = reads[lane].Val()
		if reads[lane].Err() != nil {
			lengths[lane] = unknown
		}
	}
	return lengths, err
}

// runLane moves about most orders of a lane.
func (m *Mover) runLane(ctx context.Context, lane int, most int64) (moved int, err error) {
	err = m.locks.Try(ctx, []string{m.lua.Keys.MoveLock(lane)}, func(ctx context.Context) error {
		moved, err = m.moveBatches(ctx, lane, most)
		return err
	})
	if errors.Is(err, lua.ErrLocked) {
		return 0, nil
	}
	if err != nil {
		return moved, fmt.Errorf("move lane %d: %w", lane, err)
	}
	return moved, nil
}

// batchWithin bounds one batch.
const batchWithin = 15 * time.Second

// moveBatches moves batches until most orders are moved, the queue is empty, ctx ends, or the run's bound is
// reached. A batch that has begun is completed when ctx ends.
func (m *Mover) moveBatches(ctx context.Context, lane int, most int64) (moved int, err error) {
	ahead, err := m.peek(ctx, lane, 0)
	for range m.cfg.BatchesPerRun {
		if err != nil || ahead == nil || int64(moved) >= most || ctx.Err() != nil {
			return moved, err
		}
		var n int
		n, ahead, err = m.moveBatch(ctx, lane, ahead)
		moved += n
	}
	return moved, err
}

// MoveLane moves one batch of a lane, without a lock, since concurrent movers are harmless. more says
// whether entries may be left.
func (m *Mover) MoveLane(ctx context.Context, lane int) (moved int, more bool, err error) {
	b, err := m.peek(ctx, lane, 0)
	if err != nil || b == nil {
		return 0, false, err
	}
	moved, next, err := m.moveBatch(ctx, lane, b)
	return moved, next != nil, err
}

// moveBatch stores a batch that was read from the head of the queue and removes it. While SQL stores it,
// moveBatch reads the next batch and returns it: it is then at the head. next is nil if nothing follows,
// or if another mover removed part of the batch.
func (m *Mover) moveBatch(ctx context.Context, lane int, b *batch) (moved int, next *batch, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchWithin)
	defer cancel()
	if err := m.faults.After("peek"); err != nil {
		return 0, nil, err
	}
	type peeked struct {
		batch *batch
		err   error
	}
	reading := make(chan peeked, 1)
	go func() {
		b, err := problem.Recovered(func() (*batch, error) { return m.peek(ctx, lane, len(b.waiting)) })
		reading <- peeked{b, err}
	}()
	err = m.storeBatch(ctx, b)
	ahead := <-reading // before the ack, which moves the head that peek counts from
	switch {
	case errors.Is(err, errEpoch):
		next, err = m.peek(ctx, lane, 0)
		return 0, next, err
	case err != nil:
		return 0, nil, err
	}
	moved, err = m.ackBatch(ctx, lane, b)
	if err != nil || moved < len(b.waiting) {
		return moved, nil, err
	}
	return moved, ahead.batch, ahead.err
}
