package seckill

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"time"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/gather"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/tracing"
)

var (
	// errOverloaded says that too many orders wait, or that the lane's queue or Redis is full; nothing was placed.
	errOverloaded = problem.Errorf(problem.CodeOverloaded, "Too many orders are waiting.").After(time.Second)
	// errStopping says that the instance is stopping; nothing was placed.
	errStopping = problem.Errorf(problem.CodeUnavailable, "The server is stopping.").After(time.Second)
)

// Placer places orders in batches: orders of one lane that wait at the same time share one round trip, and orders of
// one activity share one script call. If many wait, a second round trip runs beside the first, so that Redis works on a
// batch while the program answers another batch.
type Placer struct {
	cfg   Config
	lua   *lua.Scripts
	clock *clock.Clock
	log   *slog.Logger

	tracer   *tracing.Tracer
	pressure *pressure
	metrics  *placeMetrics
	counters *AnswerCounters
	calls    *gather.Group[int, placing, answer] // by lane
}

// NewPlacer returns a Placer; Stop ends it. counters may be nil.
func NewPlacer(
	cfg Config, s *lua.Scripts, clock *clock.Clock, counters *AnswerCounters, log *slog.Logger,
	tracer *tracing.Tracer,
) *Placer {
	cfg = cfg.withDefaults()
	p := &Placer{
		cfg: cfg, lua: s, clock: clock, log: log, tracer: tracer,
		pressure: newPressure(s, clock.Local, log),
		metrics:  newPlaceMetrics(), counters: counters,
	}
	p.calls = gather.New(gather.Config[int, placing, answer]{
		Call: p.send, Failed: p.logPanic, Line: func(o *placing) string { return o.sale.Activity },
		MaxCall: cfg.PlaceBatch, MaxWaiting: cfg.MaxWaiting, SecondFrom: secondCallFrom,
	})
	return p
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

// secondCallFrom is how many orders of a lane have to wait for a second call.
const secondCallFrom = 12

// placing is an order to place, with the sale as the order was priced: operators may change it meanwhile.
type placing struct {
	sale  Sale
	order lua.PlaceOrder
	trace string // of its submit, if that is sampled
}

// answer is what Place returns for one order.
type answer struct {
	result lua.PlaceResult
	err    error
}

// Place places an order and waits until its batch is answered. If ctx ends before the batch is sent,
// nothing is placed and the error is ctx's; if the batch is sent and not answered, the error wraps
// gather.ErrUnknown.
func (p *Placer) Place(ctx context.Context, sale Sale, o lua.PlaceOrder) (lua.PlaceResult, error) {
	began := time.Now()
	waits := placing{sale: sale, order: o}
	if p.tracer != nil {
		waits.trace = tracing.Parent(ctx)
	}
	a, err := p.calls.Do(ctx, sale.Lane, waits)
	p.metrics.seconds.Observe(time.Since(began).Seconds())
	switch {
	case err == nil:
		return a.result, a.err
	case errors.Is(err, gather.ErrFull):
		onWaitingFull.Mark()
		return lua.PlaceResult{}, errOverloaded
	case errors.Is(err, gather.ErrStopping):
		onStopping.Mark()
		return lua.PlaceResult{}, errStopping
	}
	return lua.PlaceResult{}, err
}

// Stop refuses new orders, and waits until the waiting ones are answered or ctx ends.
func (p *Placer) Stop(ctx context.Context) error { return p.calls.Stop(ctx) }

func (p *Placer) logPanic(lane, orders int, err error) {
	p.log.Error("placing failed", "lane", lane, "orders", orders, "error", err)
}

// placeCall is the part of a batch that shares a script call: orders of one version of an activity.
type placeCall struct {
	sale     Sale
	from     int // its first order's place in the batch; the others follow
	orders   []lua.PlaceOrder
	refusals []error // by order; nil if none is refused
}

// callsOf returns the calls of a batch, in which the orders of an activity come one after the other.
func callsOf(batch []placing) []placeCall {
	calls := make([]placeCall, 0, 1)
	for from := 0; from < len(batch); {
		sale, to := &batch[from].sale, from+1
		for to < len(batch) && batch[to].sale.Activity == sale.Activity && batch[to].sale.Version == sale.Version {
			to++
		}
		c := placeCall{sale: *sale, from: from, orders: make([]lua.PlaceOrder, to-from)}
		for i := range c.orders {
			c.orders[i] = batch[from+i].order
		}
		calls, from = append(calls, c), to
	}
	return calls
}

// send places orders of a lane, in one round trip. While Redis may take no orders, it only looks up the tasks, so that
// retries of placed orders are answered.
func (p *Placer) send(lane int, batch []placing, answers []answer) error {
	var failures error
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.PlaceWithin)
	defer cancel()
	ctx, joined := p.tracer.Join(ctx, "place order", traces(batch))
	defer func() { joined.End(failures) }()
	calls := callsOf(batch)
	sent := make([]*lua.PlaceCall, len(calls))
	refusal := p.pressure.refusal(ctx, lane)
	for i := range calls {
		c := &calls[i]
		if refusal != nil {
			onPressure.Mark()
			c.refusals = refuseAll(c.orders, nil, refusal)
		}
		sent[i] = p.scriptCall(c)
	}
	began := time.Now()
	replies := p.lua.PlaceAll(ctx, sent)
	for i := range replies { // before the first is settled, which may take long: the clock is set to their times
		if replies[i].Err == nil {
			p.observe(began, &calls[i].sale, &replies[i])
		}
	}
	for i, r := range replies {
		c := &calls[i]
		results, failed := p.settle(ctx, c, r)
		p.noteUnconfirmed(ctx, c.sale, results)
		if failed != nil {
			onUnknown.Mark()
			p.log.Warn("placing failed", "activity_id", c.sale.Activity, "orders", len(c.orders), "error", failed)
			failures = errors.Join(failures, failed)
		}
		for k := range c.orders {
			a := &answers[c.from+k]
			switch {
			case failed != nil:
				a.err = errors.Join(gather.ErrUnknown, failed)
			case c.refusals != nil && results[k].Code == lua.TaskUnknown:
				*a = answer{results[k], c.refusals[k]}
			default:
				a.result = results[k]
			}
		}
	}
	return nil
}

// settle returns the results of a call. If Redis has missed a change of the activity, it writes the change and runs the
// script once more; likewise if Redis is full, to look up the tasks.
func (p *Placer) settle(ctx context.Context, c *placeCall, r lua.PlaceReply) ([]lua.PlaceResult, error) {
	results, err := r.Results, r.Err
	if err == nil && c.sale.of != nil && isBehind(results) { // then nothing was placed
		onBehind.Mark()
		_, failed := p.lua.ChangeActivity(ctx, c.sale.Lane, c.sale.Activity, c.sale.Version, c.sale.of.Changed())
		if failed == nil || errors.Is(failed, lua.ErrUnconfirmed) {
			results, err = p.call(ctx, c)
		}
	}
	if lua.IsFull(err) {
		onFull.Mark()
		c.refusals = refuseAll(c.orders, c.refusals, errOverloaded)
		results, err = p.call(ctx, c)
	}
	return results, err
}

// traces returns the traces of the orders of a batch that are sampled.
func traces(batch []placing) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range batch {
			if t := batch[i].trace; t != "" && !yield(t) {
				return
			}
		}
	}
}

// refuseAll turns orders into look-ups of their tasks, and notes for each order that was to be placed why it is
// refused.
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
func (p *Placer) call(ctx context.Context, c *placeCall) ([]lua.PlaceResult, error) {
	began := time.Now()
	r := p.lua.PlaceAll(ctx, []*lua.PlaceCall{p.scriptCall(c)})[0]
	if r.Err == nil {
		p.observe(began, &c.sale, &r)
	}
	return r.Results, r.Err
}

// observe notes a successful call for a sale that began at a time.
func (p *Placer) observe(began time.Time, sale *Sale, r *lua.PlaceReply) {
	p.clock.Observe(r.NowMS)
	p.counters.CountPlaced(sale.Lane, sale.Activity, p.metrics.called(began, r.Results))
}

func (p *Placer) scriptCall(c *placeCall) *lua.PlaceCall {
	sale := &c.sale
	return &lua.PlaceCall{
		Lane: sale.Lane, Activity: sale.Activity, Version: sale.Version, Epoch: sale.Epoch, Permits: sale.Permits,
		PermitSKUs: sale.of.permitSKUs(),
		ItemLimit:  int64(sale.Item.Requests), ItemMS: int64(sale.Item.Seconds) * 1000, QueueLimit: p.cfg.QueueLimit,
		Confirm: p.cfg.Confirm, Orders: c.orders,
		// Redis may run the script after the callers have given up; then it must not place anything.
		DeadlineMS: p.clock.NowMS() + p.cfg.PlaceWithin.Milliseconds(),
	}
}
