package seckill

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"onrush/lua"
	"onrush/web/problem"
)

var (
	// errUnknown says that the call was sent and its answer was not received: the order may be placed.
	errUnknown = errors.New("the outcome is unknown")
	// errOverloaded says that too many orders wait, or that the lane's queue or Redis is full; nothing was placed.
	errOverloaded = problem.Errorf(problem.CodeOverloaded, "Too many orders are waiting.").After(time.Second)
	// errStopping says that the instance is stopping; nothing was placed.
	errStopping = problem.Errorf(problem.CodeUnavailable, "The server is stopping.").After(time.Second)
)

// OrderPlacer sends orders to Redis. The methods of Placer document the contract.
type OrderPlacer interface {
	Place(ctx context.Context, activity string, lane int, permits bool, o lua.PlaceOrder) (lua.PlaceResult, error)
	Stop(ctx context.Context) error
}

var _ OrderPlacer = (*Placer)(nil)

// Placer places orders in batches: orders of one activity that wait at the same time share one script call.
// Each activity with waiting orders has one loop. While its call runs, the next batch collects, so that an
// idle system adds no delay and a busy one has larger batches.
type Placer struct {
	cfg   Config
	lua   *lua.Scripts
	clock *lua.Clock
	log   *slog.Logger

	pressure *pressure

	mu       sync.Mutex
	backlogs map[string]*backlog // by activity; only those with waiting orders or a running call
	stopping bool
	loops    sync.WaitGroup
}

// NewPlacer returns a Placer; Stop ends it.
func NewPlacer(cfg Config, s *lua.Scripts, clock *lua.Clock, log *slog.Logger) *Placer {
	return &Placer{
		cfg: cfg.withDefaults(), lua: s, clock: clock, log: log, pressure: newPressure(s, clock.Local, log),
		backlogs: map[string]*backlog{},
	}
}

// backlog is the orders of one activity that wait for their batch.
type backlog struct {
	lane    int
	permits bool
	waiting []*ticket
}

// The states of a ticket. The loop changes it from waiting to sent, its owner from waiting to gone; the first
// of them decides.
const (
	ticketWaiting int32 = iota
	ticketSent
	ticketGone
)

// ticket is one order that waits for its answer.
type ticket struct {
	order lua.PlaceOrder
	state atomic.Int32
	done  chan answer // buffers one answer, so that sending never blocks
}

type answer struct {
	result lua.PlaceResult
	err    error
}

// Place places an order and waits until its batch is answered. If ctx ends before the batch is sent,
// nothing is placed and the error is ctx's; if the batch is sent and not answered, the error wraps
// errUnknown.
func (p *Placer) Place(
	ctx context.Context, activity string, lane int, permits bool, o lua.PlaceOrder,
) (lua.PlaceResult, error) {
	t := &ticket{order: o, done: make(chan answer, 1)}
	if err := p.enter(activity, lane, permits, t); err != nil { //nolint:contextcheck // a batch outlives its callers
		return lua.PlaceResult{}, err
	}
	select {
	case a := <-t.done:
		return a.result, a.err
	case <-ctx.Done():
	}
	if t.state.CompareAndSwap(ticketWaiting, ticketGone) {
		return lua.PlaceResult{}, ctx.Err()
	}
	// It was sent; the answer may have arrived when ctx ended.
	select {
	case a := <-t.done:
		return a.result, a.err
	default:
		return lua.PlaceResult{}, errUnknown
	}
}

// enter puts a ticket into its activity's backlog and starts the loop if none runs.
func (p *Placer) enter(activity string, lane int, permits bool, t *ticket) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return errStopping
	}
	b, running := p.backlogs[activity]
	if !running {
		b = &backlog{lane: lane, permits: permits}
		p.backlogs[activity] = b
		p.loops.Add(1)
		go p.loop(activity, b)
	}
	if len(b.waiting) >= p.cfg.MaxWaiting {
		return errOverloaded
	}
	b.waiting = append(b.waiting, t)
	return nil
}

// loop places batch after batch until the backlog is empty.
func (p *Placer) loop(activity string, b *backlog) {
	defer p.loops.Done()
	batch := make([]*ticket, 0, p.cfg.PlaceBatch)
	orders := make([]lua.PlaceOrder, 0, p.cfg.PlaceBatch)
	for {
		batch = p.next(activity, b, batch[:0])
		if len(batch) == 0 {
			return
		}
		orders = orders[:0]
		for _, t := range batch {
			orders = append(orders, t.order)
		}
		_, err := problem.Recovered(func() (struct{}, error) {
			p.send(activity, b, batch, orders)
			return struct{}{}, nil
		})
		if err != nil {
			p.log.Error("placing failed", "activity_id", activity, "orders", len(batch), "err", err)
			fail(batch, err)
		}
		clear(batch)
		clear(orders)
	}
}

// fail answers the tickets that have no answer yet: it is unknown whether their orders were placed.
func fail(batch []*ticket, err error) {
	for _, t := range batch {
		select {
		case t.done <- answer{err: errors.Join(errUnknown, err)}:
		default:
		}
	}
}

// next takes a batch of waiting tickets. If there are none, it removes the backlog, and the loop ends.
func (p *Placer) next(activity string, b *backlog, batch []*ticket) []*ticket {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := 0
	for _, t := range b.waiting {
		if len(batch) == p.cfg.PlaceBatch {
			break
		}
		taken++
		if t.state.CompareAndSwap(ticketWaiting, ticketSent) {
			batch = append(batch, t)
		}
	}
	rest := copy(b.waiting, b.waiting[taken:])
	clear(b.waiting[rest:])
	b.waiting = b.waiting[:rest]
	if len(batch) == 0 {
		delete(p.backlogs, activity)
	}
	return batch
}

// send runs the script once and distributes the answers. While Redis may take no orders, it only looks up the
// tasks, so that retries of placed orders are answered.
func (p *Placer) send(activity string, b *backlog, batch []*ticket, orders []lua.PlaceOrder) {
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.PlaceWithin)
	defer cancel()
	refusal := p.pressure.refusal(ctx, b.lane)
	results, err := p.call(ctx, activity, b, orders, refusal != nil)
	if refusal == nil && lua.IsFull(err) {
		refusal = errOverloaded
		results, err = p.call(ctx, activity, b, orders, true)
	}
	if err != nil {
		p.log.WarnContext(ctx, "placing failed", "activity_id", activity, "orders", len(batch), "err", err)
		for _, t := range batch {
			t.done <- answer{err: errors.Join(errUnknown, err)}
		}
		return
	}
	for i, t := range batch {
		if refusal != nil && results[i].Code == lua.TaskUnknown && len(t.order.Record) > 0 {
			t.done <- answer{err: refusal}
			continue
		}
		t.done <- answer{result: results[i]}
	}
}

// call runs the script; with lookOnly it places nothing.
func (p *Placer) call(
	ctx context.Context, activity string, b *backlog, orders []lua.PlaceOrder, lookOnly bool,
) ([]lua.PlaceResult, error) {
	if lookOnly {
		for i := range orders {
			orders[i].Record = nil
		}
	}
	now, results, err := p.lua.Place(ctx, &lua.PlaceCall{
		Lane: b.lane, Activity: activity, Permits: b.permits, QueueLimit: p.cfg.QueueLimit, Orders: orders,
		// Redis may run the script after the callers have given up; then it must not place anything.
		DeadlineMS: p.clock.NowMS() + p.cfg.PlaceWithin.Milliseconds(),
	})
	if err == nil {
		p.clock.Observe(now)
	}
	return results, err
}

// Stop refuses new orders, and waits until the waiting ones are answered or ctx ends.
func (p *Placer) Stop(ctx context.Context) error {
	p.mu.Lock()
	p.stopping = true
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.loops.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
