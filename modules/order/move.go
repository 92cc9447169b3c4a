package order

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/web/problem"
)

// MoverConfig bounds the movers.
type MoverConfig struct {
	// Lanes is how many lanes there are, 1 to MaxLane. Default 16.
	Lanes int
	// Batch is how many orders one transaction stores. Default 500.
	Batch int
	// BatchesPerRun bounds one run over one lane. Default 40.
	BatchesPerRun int
	// Every is how often Run reads the lengths of the queues. Default 50 ms.
	Every time.Duration
	// AtOnce is how many lanes RunOnce moves side by side. Run moves all of them. Default 2.
	AtOnce int
	// Paused says whether Run must begin no batch for now; it is called about every Every. Nil: never.
	Paused func(ctx context.Context) bool
}

func (c MoverConfig) withDefaults() MoverConfig {
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	set(&c.Lanes, 16)
	set(&c.Batch, 500)
	set(&c.BatchesPerRun, 40)
	set(&c.AtOnce, 2)
	if c.Every == 0 {
		c.Every = 50 * time.Millisecond
	}
	return c
}

func (c MoverConfig) check() error {
	if c.Lanes < 1 || c.Lanes > MaxLane || c.Batch < 1 || c.Batch > 1000 || c.BatchesPerRun < 1 || c.AtOnce < 1 {
		return fmt.Errorf("mover: lanes must be 1 to %d, batch 1 to 1000, batches and lanes at once 1 or more", MaxLane)
	}
	return nil
}

// Mover moves orders from the lanes' queues into SQL: peek, commit, ack. It reads entries without
// removing them, stores their orders in one transaction, and only then takes them off the queue.
// A crash between any two steps repeats work and changes nothing.
type Mover struct {
	cfg    MoverConfig
	store  *storer
	lua    *lua.Scripts
	locks  *lua.Locks
	now    func() time.Time
	log    *slog.Logger
	faults Faults
	newer  sync.Map // lanes whose head was found to be of a newer program
}

// NewMover makes a mover over the parts; faults may be nil.
func NewMover(cfg MoverConfig, p Parts) (*Mover, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Mover{cfg: cfg, store: p.storer(), lua: p.Lua, locks: p.Locks, now: p.Now, log: p.Log, faults: p.Faults}, nil
}

// RunOnce moves what waits in all lanes, each lane at most BatchesPerRun batches, and returns how
// many entries it took off the queues. A lane that another mover works on is left to it.
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
			n, err := problem.Recovered(func() (int, error) { return m.runLane(ctx, lane) })
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

// busyLanes returns the lanes whose queue isn't empty; the error is of those that can't be asked, which
// keep no others waiting.
func (m *Mover) busyLanes(ctx context.Context) ([]int, error) {
	lengths := make([]*redis.IntCmd, m.cfg.Lanes+1)
	_, err := m.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for lane := 1; lane <= m.cfg.Lanes; lane++ {
			lengths[lane] = p.LLen(ctx, m.lua.Keys.LockLog(lane))
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("read queue lengths: %w", err)
	}
	var busy []int
	for lane := 1; lane <= m.cfg.Lanes; lane++ {
		if lengths[lane].Val() > 0 {
			busy = append(busy, lane)
		}
	}
	return busy, err
}

func (m *Mover) runLane(ctx context.Context, lane int) (moved int, err error) {
	err = m.locks.Try(ctx, []string{m.lua.Keys.MoveLock(lane)}, func(ctx context.Context) error {
		moved, err = m.moveBatches(ctx, lane)
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

// moveBatches moves batch after batch until the queue is empty or ctx ends; the batch under way is
// moved to its end.
func (m *Mover) moveBatches(ctx context.Context, lane int) (moved int, err error) {
	ahead, err := m.peek(ctx, lane, 0)
	for range m.cfg.BatchesPerRun {
		if err != nil || ahead == nil || ctx.Err() != nil {
			return moved, err
		}
		var n int
		n, ahead, err = m.moveBatch(ctx, lane, ahead)
		moved += n
	}
	return moved, err
}

// MoveLane moves one batch of one lane, without a lock: movers side by side do no harm. more says
// whether entries may be left.
func (m *Mover) MoveLane(ctx context.Context, lane int) (moved int, more bool, err error) {
	b, err := m.peek(ctx, lane, 0)
	if err != nil || b == nil {
		return 0, false, err
	}
	moved, behind, err := m.moveBatch(ctx, lane, b)
	return moved, behind != nil, err
}

// moveBatch stores a batch that was read from the head of the queue and takes it off. While SQL
// stores it, the batch behind it is read and returned: it is the head then. It is nil if nothing
// stood behind, or if another took part of the batch off.
func (m *Mover) moveBatch(ctx context.Context, lane int, b *batch) (moved int, behind *batch, err error) {
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
		behind, err := problem.Recovered(func() (*batch, error) { return m.peek(ctx, lane, len(b.waiting)) })
		reading <- peeked{behind, err}
	}()
	err = m.storeBatch(ctx, b)
	next := <-reading // before the ack, which moves the head it was counted from
	switch {
	case errors.Is(err, errEpoch):
		behind, err = m.peek(ctx, lane, 0)
		return 0, behind, err
	case err != nil:
		return 0, nil, err
	}
	moved, err = m.ackBatch(ctx, lane, b)
	if err != nil || moved < len(b.waiting) {
		return moved, nil, err
	}
	return moved, next.batch, next.err
}
