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
	"onrush/modules/panics"
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

// OrderPlacer sends orders to Redis. The methods of Placer document the contract.
type OrderPlacer interface {
	Place(ctx context.Context, sale Sale, o lua.PlaceOrder) (lua.PlaceResult, error)
	Stop(ctx context.Context) error
}

var _ OrderPlacer = (*Placer)(nil)

// Placer places orders in batches: orders of one activity that wait at the same time share one script call. If many
// wait, a second call runs beside the first, so that Redis has a batch to work on while the program answers another.
type Placer struct {
	cfg   Config
	lua   *lua.Scripts
	clock *clock.Clock
	gate  *limits.Gate
	log   *slog.Logger

	tracer   *tracing.Tracer
	pressure *pressure
	metrics  *placeMetrics
	calls    *gather.Group[string, placing, answer] // by activity
}

// NewPlacer returns a Placer; Stop ends it. The gate has the limits of items; it may be nil.
func NewPlacer(
	cfg Config, s *lua.Scripts, clock *clock.Clock, gate *limits.Gate, log *slog.Logger, tracer *tracing.Tracer,
) *Placer {
	cfg = cfg.withDefaults()
	p := &Placer{
		cfg: cfg, lua: s, clock: clock, gate: gate, log: log, tracer: tracer,
		pressure: newPressure(s, clock.Local, log),
		metrics:  newPlaceMetrics(),
	}
	p.calls = gather.New(gather.Config[string, placing, answer]{
		Call: p.send, Failed: p.logFailed, Together: sameVersion,
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

// secondCallFrom is how many orders of an activity have to wait for a second call.
const secondCallFrom = 12

// placing is an order to place, with the sale as the order was priced: operators may change it meanwhile.
type placing struct {
	sale  Sale
	order lua.PlaceOrder
	trace string // of its submit, if that is sampled
}

// sameVersion reports whether two orders may share a call.
func sameVersion(first, next *placing) bool { return first.sale.Version == next.sale.Version }

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
	a, err := p.calls.Do(ctx, sale.Activity, waits)
	p.metrics.seconds.Observe(time.Since(began).Seconds())
	switch {
	case err == nil:
		return a.result, a.err
	case errors.Is(err, gather.ErrFull):
		return lua.PlaceResult{}, errOverloaded
	case errors.Is(err, gather.ErrStopping):
		return lua.PlaceResult{}, errStopping
	}
	return lua.PlaceResult{}, err
}

// Stop refuses new orders, and waits until the waiting ones are answered or ctx ends.
func (p *Placer) Stop(ctx context.Context) error { return p.calls.Stop(ctx) }

func (p *Placer) logFailed(activity string, orders int, err error) {
	level := slog.LevelWarn
	if _, panicked := errors.AsType[*panics.Error](err); panicked {
		level = slog.LevelError
	}
	p.log.Log(context.Background(), level, "placing failed", "activity_id", activity, "orders", orders, "error", err)
}

// send runs the script once for orders of one version of an activity. While Redis may take no orders, it only looks up
// the tasks, so that retries of placed orders are answered. If Redis has missed a change of the activity, it writes the
// change and runs the script once more.
func (p *Placer) send(_ string, batch []placing, answers []answer) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.PlaceWithin)
	defer cancel()
	ctx, joined := p.tracer.Join(ctx, "place order", traces(batch))
	defer func() { joined.End(err) }()
	sale, orders := batch[0].sale, make([]lua.PlaceOrder, len(batch))
	for i := range batch {
		orders[i] = batch[i].order
	}
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
		return err
	}
	for i, result := range results {
		answers[i].result = result
		if refusals != nil && result.Code == lua.TaskUnknown {
			answers[i].err = refusals[i]
		}
	}
	return nil
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
	item, began := p.gate.Item(sale.Item), time.Now()
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
		p.metrics.called(began, results)
	}
	return results, err
}
