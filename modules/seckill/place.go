package seckill

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/web/problem"
)

var (
	// errUnknown says that the call went out and its answer didn't come: the order may be placed.
	errUnknown = errors.New("the outcome is unknown")
	// errOverloaded says that the waiting room, the lane's queue or Redis is full; nothing was placed.
	errOverloaded = problem.Errorf(problem.CodeOverloaded, "Too many orders are waiting.").After(time.Second)
	// errStopping says that the instance is about to stop; nothing was placed.
	errStopping = problem.Errorf(problem.CodeUnavailable, "The server is stopping.").After(time.Second)
)

// OrderPlacer sends orders to Redis. Placer says what its methods promise.
type OrderPlacer interface {
	Place(ctx context.Context, activity string, lane int, permits bool, o lua.PlaceOrder) (lua.PlaceResult, error)
	Stop(ctx context.Context) error
}

var _ OrderPlacer = (*Placer)(nil)

// Placer places orders in batches: requests of one activity that wait at the same time share one
// script call. There is one loop per activity that has something to place; while its call is under
// way the next batch gathers, so an idle system adds no delay and a busy one grows its batches.
type Placer struct {
	cfg   Config
	lua   *lua.Scripts
	clock *order.Clock
	log   *slog.Logger

	pressure *pressure

	mu       sync.Mutex
	lines    map[string]*line // by activity; only those that have something to place
	stopping bool
	loops    sync.WaitGroup
}

// NewPlacer makes a placer; Stop ends it.
func NewPlacer(cfg Config, s *lua.Scripts, clock *order.Clock, log *slog.Logger) *Placer {
	return &Placer{
		cfg: cfg.withDefaults(), lua: s, clock: clock, log: log, pressure: newPressure(s, clock.Local, log), lines: map[string]*line{},
	}
}

// line is the waiting room of one activity.
type line struct {
	lane    int
	permits bool
	waiting []*ticket
}

// The states of a ticket. The loop takes it from waiting to sent, its owner from waiting to gone;
// whoever is first decides.
const (
	ticketWaiting int32 = iota
	ticketSent
	ticketGone
)

// ticket is one order that waits for its answer.
type ticket struct {
	order lua.PlaceOrder
	state atomic.Int32
	done  chan answer // holds one
}

type answer struct {
	result lua.PlaceResult
	err    error
}

// Place waits until the order's batch was sent and answered. If ctx ends before the batch is
// sent, nothing is placed and the error is ctx's; if the answer doesn't come, it is errUnknown.
func (p *Placer) Place(ctx context.Context, activity string, lane int, permits bool, o lua.PlaceOrder) (lua.PlaceResult, error) {
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
	// It was sent; the answer may have come at the same moment.
	select {
	case a := <-t.done:
		return a.result, a.err
	default:
		return lua.PlaceResult{}, errUnknown
	}
}

// enter puts a ticket into its activity's line and starts the loop if none runs.
func (p *Placer) enter(activity string, lane int, permits bool, t *ticket) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return errStopping
	}
	l, running := p.lines[activity]
	if !running {
		l = &line{lane: lane, permits: permits}
		p.lines[activity] = l
		p.loops.Add(1)
		go p.loop(activity, l)
	}
	if len(l.waiting) >= p.cfg.WaitingRoom {
		return errOverloaded
	}
	l.waiting = append(l.waiting, t)
	return nil
}

// loop places batch after batch until the line is empty.
func (p *Placer) loop(activity string, l *line) {
	defer p.loops.Done()
	batch := make([]*ticket, 0, p.cfg.PlaceBatch)
	orders := make([]lua.PlaceOrder, 0, p.cfg.PlaceBatch)
	for {
		batch = p.next(activity, l, batch[:0])
		if len(batch) == 0 {
			return
		}
		orders = orders[:0]
		for _, t := range batch {
			orders = append(orders, t.order)
		}
		_, err := problem.Recovered(func() (struct{}, error) {
			p.send(activity, l, batch, orders)
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

// fail answers those of a batch that have no answer yet: whether they were placed is not known.
func fail(batch []*ticket, err error) {
	for _, t := range batch {
		select {
		case t.done <- answer{err: errors.Join(errUnknown, err)}:
		default:
		}
	}
}

// next takes a batch of those still waiting. An empty one ends the loop: the line is gone then.
func (p *Placer) next(activity string, l *line, batch []*ticket) []*ticket {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := 0
	for _, t := range l.waiting {
		if len(batch) == p.cfg.PlaceBatch {
			break
		}
		taken++
		if t.state.CompareAndSwap(ticketWaiting, ticketSent) {
			batch = append(batch, t)
		}
	}
	rest := copy(l.waiting, l.waiting[taken:])
	clear(l.waiting[rest:])
	l.waiting = l.waiting[:rest]
	if len(batch) == 0 {
		delete(p.lines, activity)
	}
	return batch
}

// send runs the script once and hands out the answers. While Redis may take no orders it only looks
// for the tasks, so that orders which were placed before are answered.
func (p *Placer) send(activity string, l *line, batch []*ticket, orders []lua.PlaceOrder) {
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.PlaceWithin)
	defer cancel()
	refusal := p.pressure.refusal(ctx, l.lane)
	results, err := p.call(ctx, activity, l, orders, refusal != nil)
	if refusal == nil && lua.IsFull(err) {
		refusal = errOverloaded
		results, err = p.call(ctx, activity, l, orders, true)
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
func (p *Placer) call(ctx context.Context, activity string, l *line, orders []lua.PlaceOrder, lookOnly bool) ([]lua.PlaceResult, error) {
	if lookOnly {
		for i := range orders {
			orders[i].Record = nil
		}
	}
	now, results, err := p.lua.Place(ctx, &lua.PlaceCall{
		Lane: l.lane, Activity: activity, Permits: l.permits, QueueLimit: p.cfg.QueueLimit, Orders: orders,
		// Redis may wake up after we gave up: then it must not place any more.
		DeadlineMS: p.clock.NowMS() + p.cfg.PlaceWithin.Milliseconds(),
	})
	if err == nil {
		p.clock.Observe(now)
	}
	return results, err
}

// Stop takes no more orders and waits until those that wait are answered, or ctx ends.
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
