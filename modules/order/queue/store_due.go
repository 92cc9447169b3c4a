package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
)

const (
	// duePages is how many batches of a lane one run of StoreDue reads.
	duePages = 10
	// overdueAfter is from which age on an entry is read for it: movers that work have taken a younger one out of the
	// queue before its time to pay is over.
	overdueAfter = 10 * time.Second
)

// dueCursor is where the next run of StoreDue goes on in a lane's queue.
type dueCursor struct {
	from int
	last string // the entry before
}

// StoreDue stores the orders whose time to pay is over and that still wait in a queue, since the movers are paused,
// have stopped or are behind: only what SQL has is cancelled. It takes nothing out of the queues, and needs no lock. A
// run reads a bounded part of the queues, and the next one goes on from there. It returns 0, since DueCanceller counts
// the orders.
func (m *Mover) StoreDue(ctx context.Context) (int, error) {
	lengths, failed := m.lengths(ctx)
	if !slices.ContainsFunc(lengths[1:], func(length int64) bool { return length != unknown }) {
		return 0, nil // Redis is away, which its guard says; what SQL has is cancelled all the same
	}
	for lane := 1; lane < len(lengths); lane++ {
		if lengths[lane] > 0 && ctx.Err() == nil {
			if err := m.storeDueOf(ctx, lane); err != nil {
				failed = errors.Join(failed, fmt.Errorf("store due orders of lane %d: %w", lane, err))
			}
		}
	}
	return 0, failed
}

func (m *Mover) storeDueOf(ctx context.Context, lane int) error {
	at := m.resumeDue(ctx, lane)
	for range duePages {
		more, err := m.storeDuePage(ctx, lane, &at)
		if err != nil || !more || ctx.Err() != nil {
			m.due.Delete(lane) // the next run begins at the head
			return err
		}
	}
	m.due.Store(lane, at)
	return nil
}

// resumeDue returns where a run goes on: where the last one ended, unless entries have left the queue since.
func (m *Mover) resumeDue(ctx context.Context, lane int) dueCursor {
	known, ok := m.due.Load(lane)
	if !ok {
		return dueCursor{}
	}
	at, _ := known.(dueCursor)
	last, err := m.lua.Redis.LIndex(ctx, m.lua.Keys.Queue(lane), int64(at.from-1)).Result()
	if err != nil || last != at.last {
		return dueCursor{}
	}
	return at
}

// storeDuePage stores the due orders of one batch; more is false if no later entry can be due.
func (m *Mover) storeDuePage(ctx context.Context, lane int, at *dueCursor) (more bool, err error) {
	now := m.now().UnixMilli()
	head, err := m.lua.Redis.LIndex(ctx, m.lua.Keys.Queue(lane), int64(at.from)).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read queue: %w", err)
	}
	if e, err := order.ParseEntry(head); err == nil && e.PlacedMS+overdueAfter.Milliseconds() > now {
		return false, nil // no later entry is older
	}
	ctx, cancel := context.WithTimeout(ctx, batchWithin)
	defer cancel()
	b, err := m.peek(ctx, lane, at.from)
	if err == nil && b != nil {
		b, err = m.confirmed(ctx, lane, at.from, b)
	}
	if err != nil || b == nil {
		return false, err
	}
	at.from, at.last = at.from+len(b.waiting), b.waiting[len(b.waiting)-1].entry.Raw
	var due []*waiting
	for i := range b.waiting {
		w := &b.waiting[i]
		if w.order != nil && w.verdict.Verdict != lua.VerdictWait && w.order.PayBefore > 0 &&
			int64(w.order.PayBefore) <= now {
			onDueQueued.Mark()
			due = append(due, w)
		}
	}
	if err := m.storeReady(ctx, due, b.asOf); err != nil && !errors.Is(err, errEpoch) {
		return false, err
	}
	return true, nil
}
