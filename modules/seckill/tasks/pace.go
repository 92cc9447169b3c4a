package tasks

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
)

const (
	// soonest and latest bound how long clients should wait before they ask for a task again.
	soonest, latest = 200 * time.Millisecond, 5 * time.Second
	// refreshPart is the part of the age of a queue after which clients should ask again: an order at the
	// end of a queue waits about as long as the one at its head did, so a quarter of that delays nobody much.
	refreshPart = 4
	// tickPart is the part of that time after which a watch reads.
	tickPart = 4
	// headFor is the maximum age of the last read of the head of a queue.
	headFor = time.Second
	// headWithin bounds a read of the head of a queue.
	headWithin = 100 * time.Millisecond
)

// Pace decides how often tasks are worth reading, from the age of the oldest order in the queue of their
// lane: a quarter of it, from 200 ms to 5 s.
type Pace struct {
	lua   *lua.Scripts
	clock *clock.Clock
	lanes [order.MaxLane + 1]laneHead
}

// laneHead is the head of a lane's queue, as it was read last.
type laneHead struct {
	reading  atomic.Bool
	asOf     atomic.Int64 // when it was read, in ms
	placedMS atomic.Int64 // 0: the queue is empty
}

// NewPace returns a Pace that knows no queue yet.
func NewPace(s *lua.Scripts, clock *clock.Clock) *Pace { return &Pace{lua: s, clock: clock} }

// Refresh returns how long a client should wait before it asks for a task of a lane again. It costs one
// command per lane and second at most; while that is under way, other callers use what was known before.
func (p *Pace) Refresh(ctx context.Context, lane int) time.Duration {
	head := &p.lanes[lane]
	now := p.clock.NowMS()
	if age := now - head.asOf.Load(); age < 0 || age >= headFor.Milliseconds() {
		p.read(ctx, lane, head)
	}
	return head.refresh(now)
}

// Known is Refresh, but it reads nothing: if no poll or stream asked in the last second, nobody waits
// for the answer, and it is the shortest time.
func (p *Pace) Known(lane int) time.Duration {
	head := &p.lanes[lane]
	now := p.clock.NowMS()
	if age := now - head.asOf.Load(); age < 0 || age >= headFor.Milliseconds() {
		return soonest
	}
	return head.refresh(now)
}

func (h *laneHead) refresh(now int64) time.Duration {
	placed := h.placedMS.Load()
	if placed == 0 {
		return soonest
	}
	return min(max(time.Duration(now-placed)*time.Millisecond/refreshPart, soonest), latest)
}

// tick returns how long a watch of a lane waits between two reads.
func (p *Pace) tick(ctx context.Context, lane int) time.Duration {
	return p.Refresh(ctx, lane) / tickPart
}

// read reads the head of a lane's queue, unless another caller does. After an error the last head remains.
func (p *Pace) read(ctx context.Context, lane int, head *laneHead) {
	if !head.reading.CompareAndSwap(false, true) {
		return
	}
	defer head.reading.Store(false)
	ctx, cancel := context.WithTimeout(ctx, headWithin)
	defer cancel()
	raw, err := p.lua.Redis.LIndex(ctx, p.lua.Keys.Queue(lane), 0).Result()
	head.asOf.Store(p.clock.NowMS())
	if errors.Is(err, redis.Nil) {
		head.placedMS.Store(0)
		return
	}
	if err != nil {
		return
	}
	if e, err := order.ParseEntry(raw); err == nil {
		head.placedMS.Store(e.PlacedMS)
	}
}
