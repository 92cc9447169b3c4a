package seckill

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/panics"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/limits"
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
	Place(ctx context.Context, sale Sale, o lua.PlaceOrder) (lua.PlaceResult, error)
	Stop(ctx context.Context) error
}

var _ OrderPlacer = (*Placer)(nil)

// Placer places orders in batches: orders of one activity that wait at the same time share one script call.
// Each activity with waiting orders has a loop. While its call runs, the next batch collects, so that an
// idle system adds no delay and a busy one has larger batches. If many wait, a second loop joins it, so that
// Redis has a batch to work on while the program answers another. A loop ends when it finds no order waiting.
type Placer struct {
	cfg   Config
	lua   *lua.Scripts
	clock *clock.Clock
	gate  *limits.Gate
	log   *slog.Logger

	pressure *pressure

	mu       sync.Mutex
	backlogs map[string]*backlog // by activity; only those with a loop
	stopping bool
	loops    sync.WaitGroup
}

// NewPlacer returns a Placer; Stop ends it. The gate has the limits of items; it may be nil.
func NewPlacer(cfg Config, s *lua.Scripts, clock *clock.Clock, gate *limits.Gate, log *slog.Logger) *Placer {
	return &Placer{
		cfg: cfg.withDefaults(), lua: s, clock: clock, gate: gate, log: log, pressure: newPressure(s, clock.Local, log),
		backlogs: map[string]*backlog{},
	}
}

// Sale is what placing needs of an activity.
type Sale struct {
	Activity string
	Lane     int
	Permits  bool // whether an order uses up a permit
	Item     limits.Limit
	// Version and Epoch identify the state of the activity that the order was priced by; see lua.PlaceCall.
	Version, Epoch int64

	of *Activity // written to Redis if that has an older version; may be nil
}

func (a *Activity) sale() Sale {
	return Sale{
		Activity: a.ID, Lane: a.Lane, Permits: a.permits(), Item: a.Limits.Item, Version: a.Version, Epoch: a.Epoch(),
		of: a,
	}
}

// secondLoopFrom is how many orders of an activity have to wait for a second loop. A third would only make the
// batches smaller.
const secondLoopFrom = 12

// backlog is the orders of one activity that wait for their batch.
type backlog struct {
	waiting []*ticket
	loops   int // that run, at least 1
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
	sale  Sale // as the order was priced: operators may change it meanwhile
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
func (p *Placer) Place(ctx context.Context, sale Sale, o lua.PlaceOrder) (lua.PlaceResult, error) {
	t := &ticket{sale: sale, order: o, done: make(chan answer, 1)}
	if err := p.enter(t); err != nil { //nolint:contextcheck // a batch outlives its callers
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

// enter puts a ticket into its activity's backlog and starts a loop if none runs, or if one more is needed.
func (p *Placer) enter(t *ticket) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return errStopping
	}
	b, running := p.backlogs[t.sale.Activity]
	if !running {
		b = &backlog{}
		p.backlogs[t.sale.Activity] = b
	}
	if len(b.waiting) >= p.cfg.MaxWaiting {
		return errOverloaded
	}
	b.waiting = append(b.waiting, t)
	if b.loops == 0 || b.loops == 1 && len(b.waiting) >= secondLoopFrom {
		b.loops++
		p.loops.Add(1)
		go p.loop(t.sale.Activity, b)
	}
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
		err := panics.Recovered(func() error {
			p.send(batch[0].sale, batch, orders)
			return nil
		})
		if err != nil {
			p.log.Error("placing failed", "activity_id", activity, "orders", len(batch), "error", err)
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

// next takes a batch of waiting tickets, all of one version of their activity. If there are none, the loop ends, and
// the last one removes the backlog.
func (p *Placer) next(activity string, b *backlog, batch []*ticket) []*ticket {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := 0
	for _, t := range b.waiting {
		if len(batch) == p.cfg.PlaceBatch || len(batch) > 0 && t.sale.Version != batch[0].sale.Version {
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
		if b.loops--; b.loops == 0 {
			delete(p.backlogs, activity)
		}
	}
	return batch
}

// send runs the script once and distributes the answers. While Redis may take no orders, it only looks up the
// tasks, so that retries of placed orders are answered. If Redis has missed a change of the activity, it writes the
// change and runs the script once more.
func (p *Placer) send(sale Sale, batch []*ticket, orders []lua.PlaceOrder) {
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.PlaceWithin)
	defer cancel()
	var refusals []error // by order; nil if none is refused
	if refusal := p.pressure.refusal(ctx, sale.Lane); refusal != nil {
		refusals = refuseAll(orders, nil, refusal)
	}
	results, err := p.call(ctx, sale, orders)
	if err == nil && sale.of != nil && isBehind(results) { // then nothing was placed
		_, failed := p.lua.ChangeActivity(ctx, sale.Lane, sale.Activity, sale.Version, sale.of.Changed())
		if failed == nil {
			results, err = p.call(ctx, sale, orders)
		}
	}
	if lua.IsFull(err) {
		refusals = refuseAll(orders, refusals, errOverloaded)
		results, err = p.call(ctx, sale, orders)
	}
	if err != nil {
		p.log.WarnContext(ctx, "placing failed", "activity_id", sale.Activity, "orders", len(batch), "error", err)
		for _, t := range batch {
			t.done <- answer{err: errors.Join(errUnknown, err)}
		}
		return
	}
	for i, t := range batch {
		if refusals != nil && refusals[i] != nil && results[i].Code == lua.TaskUnknown {
			t.done <- answer{err: refusals[i]}
			continue
		}
		t.done <- answer{result: results[i]}
	}
}

// refuseAll turns orders into look-ups of their tasks, and adds the refusals of those that were to be placed.
func refuseAll(orders []lua.PlaceOrder, refusals []error, refusal error) []error {
	if refusals == nil {
		refusals = make([]error, len(orders))
	}
	for i := range orders {
		if len(orders[i].Record) > 0 {
			orders[i].Record, refusals[i] = nil, refusal
		}
	}
	return refusals
}

// isBehind reports whether Redis has an older version of the activity than the orders.
func isBehind(results []lua.PlaceResult) bool {
	return slices.ContainsFunc(results, func(r lua.PlaceResult) bool { return r.Code == lua.Behind })
}

// call runs the script.
func (p *Placer) call(ctx context.Context, sale Sale, orders []lua.PlaceOrder) ([]lua.PlaceResult, error) {
	item := p.gate.Item(sale.Item)
	now, results, err := p.lua.Place(ctx, &lua.PlaceCall{
		Lane: sale.Lane, Activity: sale.Activity, Version: sale.Version, Epoch: sale.Epoch, Permits: sale.Permits,
		PermitSKUs: sale.of.permitSKUs(),
		ItemLimit:  int64(item.Requests), ItemMS: int64(item.Seconds) * 1000, QueueLimit: p.cfg.QueueLimit,
		Orders: orders,
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
