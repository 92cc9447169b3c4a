package order

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
)

// MoverConfig bounds the movers.
type MoverConfig struct {
	// Lanes is how many lanes there are, 1 to MaxLane. Default 16.
	Lanes int
	// Batch is how many orders one transaction stores. Default 500.
	Batch int
	// BatchesPerRun bounds one run over one lane. Default 40.
	BatchesPerRun int
	// Every is how long a mover rests when the queues are empty. Default 50 ms.
	Every time.Duration
	// AtOnce is how many lanes an instance moves side by side. Default 2.
	AtOnce int
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
	locks  *Locks
	now    func() time.Time
	log    *slog.Logger
	faults Faults
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
	if err != nil {
		return 0, err
	}
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
			n, err := m.runLane(ctx, lane)
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

// busyLanes returns the lanes whose queue isn't empty.
func (m *Mover) busyLanes(ctx context.Context) ([]int, error) {
	lengths := make([]*redis.IntCmd, m.cfg.Lanes+1)
	_, err := m.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for lane := 1; lane <= m.cfg.Lanes; lane++ {
			lengths[lane] = p.LLen(ctx, m.lua.Keys.LockLog(lane))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read queue lengths: %w", err)
	}
	var busy []int
	for lane := 1; lane <= m.cfg.Lanes; lane++ {
		if lengths[lane].Val() > 0 {
			busy = append(busy, lane)
		}
	}
	return busy, nil
}

func (m *Mover) runLane(ctx context.Context, lane int) (moved int, err error) {
	err = m.locks.Try(ctx, []string{m.lua.Keys.MoveLock(lane)}, func(ctx context.Context) error {
		for range m.cfg.BatchesPerRun {
			n, more, err := m.finishBatch(ctx, lane)
			moved += n
			if err != nil || !more || ctx.Err() != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, ErrLocked) {
		return 0, nil
	}
	if err != nil {
		return moved, fmt.Errorf("move lane %d: %w", lane, err)
	}
	return moved, nil
}

// batchWithin bounds one batch.
const batchWithin = 15 * time.Second

// finishBatch moves one batch to its end also if ctx ends meanwhile.
func (m *Mover) finishBatch(ctx context.Context, lane int) (moved int, more bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchWithin)
	defer cancel()
	return m.MoveLane(ctx, lane)
}

// MoveLane moves one batch of one lane, without a lock: movers side by side do no harm. more says
// whether entries may be left.
func (m *Mover) MoveLane(ctx context.Context, lane int) (moved int, more bool, err error) {
	batch, asOf, err := m.peek(ctx, lane)
	if err != nil || len(batch) == 0 {
		return 0, false, err
	}
	if err := m.faults.After("peek"); err != nil {
		return 0, false, err
	}
	if err := m.settleBatch(ctx, batch, asOf); err != nil {
		if errors.Is(err, errEpoch) {
			return 0, true, nil // read the queue again
		}
		return 0, false, err
	}
	acks := make([]lua.Ack, len(batch))
	for i := range batch {
		acks[i] = m.ack(&batch[i])
	}
	if err := m.faults.After("before_ack"); err != nil {
		return 0, false, err
	}
	moved, err = m.lua.AckMoved(ctx, lane, acks)
	if err != nil {
		return 0, false, fmt.Errorf("ack %d entries: %w", len(acks), err)
	}
	return moved, moved == len(batch), m.faults.After("ack")
}

// waiting is a queue entry with its order, or with the reason why there is none.
type waiting struct {
	entry   Entry
	order   *Order
	verdict verdict // final once the verdict is set
}

// peek reads the head of a lane's queue and the records of its entries, and returns the epochs of
// their activities as they were known before.
func (m *Mover) peek(ctx context.Context, lane int) (batch []waiting, asOf map[string]int64, err error) {
	for range 3 {
		asOf := m.store.epochs.asOf()
		raws, err := m.lua.Redis.LRange(ctx, m.lua.Keys.LockLog(lane), 0, int64(m.cfg.Batch)-1).Result()
		if err != nil {
			return nil, nil, fmt.Errorf("read queue: %w", err)
		}
		batch := make([]waiting, len(raws))
		var unknown []string
		asked := map[string]bool{}
		for i, raw := range raws {
			batch[i].entry, err = ParseEntry(raw)
			if err != nil {
				batch[i].verdict = verdict{Verdict: lua.VerdictDead, reason: ReasonBadEntry, detail: err.Error()}
				continue
			}
			a := batch[i].entry.Activity
			if _, ok := asOf[a]; !ok && !asked[a] {
				asked[a] = true
				unknown = append(unknown, a)
			}
		}
		if len(unknown) == 0 {
			return batch, asOf, m.readRecords(ctx, lane, batch)
		}
		if err := m.store.epochs.refresh(ctx, unknown); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errors.New("read queue: other activities come in all the time")
}

// readRecords fetches the records of a batch in one pipeline.
func (m *Mover) readRecords(ctx context.Context, lane int, batch []waiting) error {
	records := make([]*redis.StringCmd, len(batch))
	_, err := m.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range batch {
			if batch[i].verdict.Verdict != "" {
				continue
			}
			e := &batch[i].entry
			records[i] = p.HGet(ctx, m.lua.Keys.Orders(lane, e.User), lua.OrderField(e.Number.String()))
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("read records: %w", err)
	}
	for i, cmd := range records {
		if cmd == nil {
			continue
		}
		data, err := cmd.Bytes()
		switch {
		case errors.Is(err, redis.Nil):
			continue // SQL may have it: settleBatch looks
		case err != nil:
			return fmt.Errorf("read record: %w", err)
		}
		e := &batch[i].entry
		o, err := DecodeRecord(data)
		if err == nil && (o.Number != e.Number || o.User != e.User || o.Activity != e.Activity) {
			err = fmt.Errorf("%w: it is not the one of its entry", ErrBadRecord)
		}
		if err != nil {
			batch[i].verdict = verdict{Verdict: lua.VerdictDead, reason: ReasonBadRecord, detail: err.Error()}
			continue
		}
		batch[i].order = o
	}
	return nil
}

// settleBatch gives every entry of a batch its verdict; afterwards SQL has every order that it is
// going to have.
func (m *Mover) settleBatch(ctx context.Context, batch []waiting, asOf map[string]int64) error {
	var orders []*Order
	var at []int
	for i := range batch {
		if batch[i].order != nil {
			orders = append(orders, batch[i].order)
			at = append(at, i)
		}
	}
	if len(orders) > 0 {
		verdicts, err := m.store.store(ctx, orders, asOf)
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
		if err := m.settleLost(ctx, &batch[i]); err != nil {
			return err
		}
	}
	return nil
}

// settleLost decides on an entry without a record: stored already, or dead.
func (m *Mover) settleLost(ctx context.Context, w *waiting) error {
	known, err := selectKnown(ctx, m.store.db.Write, []*Order{{Number: w.entry.Number}})
	if err != nil {
		return err
	}
	sqlHas, ok := known[w.entry.Number]
	switch {
	case !ok || sqlHas.User != w.entry.User:
		w.verdict = verdict{Verdict: lua.VerdictDead, reason: ReasonNoRecord}
	case sqlHas.Status == Failed:
		w.verdict = verdict{Verdict: lua.VerdictFailed, reason: sqlHas.Reason}
	default:
		w.verdict = verdict{Verdict: lua.VerdictStored}
	}
	if ok {
		w.order = &Order{Number: w.entry.Number, Task: sqlHas.Task}
	}
	return nil
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
		Verdict: w.verdict.Verdict, Reason: w.verdict.reason,
	}
	if w.entry.Number > 0 {
		a.Number = w.entry.Number.String()
	}
	if w.order != nil {
		a.Task = TaskHash(w.order.Task)
	}
	if a.Verdict == lua.VerdictDead {
		m.log.Error("order can't be stored", "entry", w.entry.Raw, "reason", w.verdict.reason, "detail", w.verdict.detail)
		a.DeadID = deadID(w.entry)
		dead, err := json.Marshal(DeadEntry{Entry: w.entry.Raw, Reason: w.verdict.reason, Detail: w.verdict.detail, AtMS: m.now().UnixMilli()})
		if err != nil { // texts and numbers only: can't happen, and must not lose the entry
			dead = []byte(strconv.Quote(w.entry.Raw))
		}
		a.Dead = string(dead)
	}
	return a
}
