package place

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/gather"
	"onrush/modules/order"
	"onrush/modules/order/numbers"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// Placer places orders. Orders of one lane that wait at the same time share one round trip, and orders of one activity
// share one script call. If many wait, a second round trip runs beside the first, so that Redis works on a batch while
// the program answers another batch.
type Placer struct {
	cfg     Config
	db      *sqldb.DB
	lua     *lua.Scripts
	clock   *clock.Clock
	numbers *numbers.Numbers
	placed  func(lane int, activity string, orders int)
	log     *slog.Logger
	tracer  *tracing.Tracer

	pressure *pressure
	metrics  *metrics
	calls    *gather.Group[int, placing, answer] // by lane
}

// NewPlacer checks cfg and returns a Placer; Stop ends it.
func NewPlacer(cfg Config, d Deps) (*Placer, error) {
	cfg = cfg.WithDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	p := &Placer{
		cfg: cfg, db: d.DB, lua: d.Lua, clock: d.Clock, numbers: d.Numbers, placed: d.Placed, log: d.Log,
		tracer: d.Tracer, pressure: newPressure(d.Lua, d.Clock.Local, d.Log), metrics: newMetrics(),
	}
	p.calls = gather.New(gather.Config[int, placing, answer]{
		Call: p.send, Failed: p.logPanic, Line: func(o *placing) string { return o.sale.Activity },
		MaxCall: cfg.Batch, MaxWaiting: cfg.MaxWaiting, SecondFrom: secondCallFrom,
	})
	return p, nil
}

// Stop refuses new orders, and waits until the waiting ones are answered or ctx ends.
func (p *Placer) Stop(ctx context.Context) error { return p.calls.Stop(ctx) }

// Activity is what placing rarely needs of an activity besides its Sale.
type Activity interface {
	// Changed returns the fields of the meta hash that a change of it writes.
	Changed() map[string]string
	// PermitSKUs returns the skus whose permits a user loses on reaching the limit of the activity.
	PermitSKUs() []string
}

// Sale is what placing needs of an activity, as the order was priced: operators may change it meanwhile.
type Sale struct {
	Activity   string
	Lane       int
	PayWithinS int64
	Permits    bool // whether an order uses up a permit
	Waitlist   bool // whether buyers may wait for units
	OffersOnly bool // whether the order may take nothing but units that are kept for its buyer
	Reserves   bool // whether units may be reserved for some buyers
	Item       limits.Limit
	// Version and Epoch identify the state of the activity that the order was priced by; see lua.PlaceCall.
	Version, Epoch int64
	// EarlyMS is how many ms before the start the order may be placed.
	EarlyMS int64

	Of Activity // if Redis has an older version, this one is written to it; nil: never
}

// Order is an order to place. Place gives it its number and times. After an unknown outcome the caller must not change
// Sale: the batch may still read it.
type Order struct {
	order.Order
	Sale Sale

	// TaskHash is the hash in Task, and SealedTask the id that its buyer gets; errors about an unknown outcome carry
	// it.
	TaskHash, SealedTask string

	// Refusal is why the order may not be placed; nil if it may. Of a refused order only the task is looked up: in
	// Redis, and in SQL if Redis lacks tasks.
	Refusal error
	// RateLimited is whether a rate limit refused it. Then SQL is not read.
	RateLimited bool

	asked bool // whether SQL was asked for the task, and doesn't have it
	tries int
}

// Outcome is what became of an order: it is Placed or Replayed, or not placed for the reason Code. SKU, Bought,
// Version, RetryMS and NextMS are as in lua.PlaceResult.
type Outcome struct {
	Code                     lua.PlaceCode
	SKU                      string
	Number                   order.Number // with Placed and Replayed
	Bought, Version, RetryMS int64
	NextMS                   int64
}

// maxTries bounds how often an order is sent to Redis: with another order number, or after a look at what has changed.
const maxTries = 5

var (
	// ErrOverloaded says that too many orders wait, or that the lane's queue or Redis is full; nothing was placed.
	ErrOverloaded = problem.Errorf(problem.CodeOverloaded, "Too many orders are waiting.").After(time.Second)
	// errStopping says that the instance is stopping; nothing was placed.
	errStopping = problem.Errorf(problem.CodeUnavailable, "The server is stopping.").After(time.Second)
	// errBehind says that another instance has changed Redis back, or loads it; nothing was placed.
	errBehind = problem.Errorf(problem.CodeUnavailable, "The sale was changed a moment ago; try again.").
			After(time.Second)
	errKeyReused = problem.Errorf(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used for another order.")
	// errUnconfirmed says that Redis has placed the order, but too few replicas have it: a failover may lose it.
	errUnconfirmed = errors.New("too few replicas of Redis have the order")
)

// Place places an order, once per task, and waits until its batch is answered. An order that was placed before is
// Replayed, from Redis or from SQL. An Outdated order is to be priced again, by the Version that the outcome has, and
// placed again. If the outcome is unknown, the error is unavailable and has the task; the order may be placed again.
func (p *Placer) Place(ctx context.Context, o *Order) (Outcome, error) {
	for o.tries < maxTries {
		o.tries++
		r, err := p.try(ctx, o)
		if err != nil {
			return Outcome{}, err
		}
		switch r.Code {
		case lua.NumberTaken:
			onNumberTaken.Mark()
			p.numbers.Taken(o.Number)
		case lua.TasksLoading:
			onTasksLoading.Mark()
			if had, err := p.stored(ctx, o); err != nil || had.Number != 0 {
				return had, err
			}
			o.asked = true
		case lua.Placed, lua.Replayed:
			if r.Code == lua.Replayed {
				onReplayed.Mark()
			}
			if r.Unconfirmed {
				return Outcome{}, unknown(o, errUnconfirmed)
			}
			n, err := order.ParseNumber(r.Number)
			if err != nil {
				return Outcome{}, fmt.Errorf("place: %w", err)
			}
			return Outcome{Code: r.Code, Number: n}, nil
		case lua.TaskUnknown: // of a refused order
			return Outcome{Code: r.Code}, o.Refusal
		case lua.NotLoaded:
			onNotLoaded.Mark()
			if had, err := p.stored(ctx, o); err != nil || had.Number != 0 {
				return had, err
			}
			return Outcome{Code: r.Code}, o.Refusal
		case lua.KeyReused:
			return Outcome{}, errKeyReused
		case lua.QueueFull, lua.TooManyCached: // both drain as orders move to SQL
			onQueueFull.Mark()
			return Outcome{}, ErrOverloaded
		case lua.TooLate:
			onTooLate.Mark()
			return Outcome{}, unknown(o, errors.New("the script ran after the deadline"))
		case lua.Behind:
			onStillBehind.Mark()
			return Outcome{}, errBehind
		default:
			return Outcome{
				Code: r.Code, SKU: r.SKU, Bought: r.Bought, Version: r.Version, RetryMS: r.RetryMS, NextMS: r.NextMS,
			}, nil
		}
	}
	return Outcome{}, unknown(o, errors.New("no unused order number, or too many changes of the activity"))
}

// try sends the order to Redis once, or only its task if it is refused.
func (p *Placer) try(ctx context.Context, o *Order) (lua.PlaceResult, error) {
	call := lua.PlaceOrder{Task: o.TaskHash, Digest: o.Digest, User: o.User, Quantity: 1, Asked: o.asked}
	if o.Refusal == nil {
		at := p.clock.NowMS()
		o.PlacedAt, o.PayBefore = api.Millis(at), api.Millis(at+o.Sale.PayWithinS*1000)
		var err error
		switch o.Number, err = p.numbers.Next(ctx, o.Sale.Lane); {
		case lua.IsFull(err):
			o.Refusal = ErrOverloaded
		case err != nil:
			return lua.PlaceResult{}, unknown(o, err)
		default:
			if call.Record, err = order.EncodeRecord(&o.Order); err != nil {
				return lua.PlaceResult{}, fmt.Errorf("encode order: %w", err)
			}
			call.Number, call.Point, call.LimitKey = o.Number.String(), o.Point, o.LimitKey
			call.Reserved = o.Reserved
			call.SKU, call.Quantity = o.Takes()
			call.Entry = order.FormatEntry(o.Number, at, o.Activity, o.User)
		}
	}
	r, err := p.inBatch(ctx, &o.Sale, call)
	if errors.Is(err, gather.ErrUnknown) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, context.Canceled) {
		err = unknown(o, err)
	}
	return r, err
}

// inBatch sends an order with those that wait at the same time, and returns the answer to it. If ctx ends before the
// batch is sent, nothing is placed and the error is ctx's; if the batch is sent and not answered, the error wraps
// gather.ErrUnknown.
func (p *Placer) inBatch(ctx context.Context, sale *Sale, o lua.PlaceOrder) (lua.PlaceResult, error) {
	began := time.Now()
	waits := placing{sale: sale, order: o}
	if p.tracer != nil {
		waits.trace = tracing.Parent(ctx)
	}
	a, err := p.calls.Do(ctx, sale.Lane, waits)
	p.metrics.seconds.Observe(time.Since(began).Seconds())
	switch {
	case errors.Is(err, gather.ErrFull):
		onWaitingFull.Mark()
		return lua.PlaceResult{}, ErrOverloaded
	case errors.Is(err, gather.ErrStopping):
		onStopping.Mark()
		return lua.PlaceResult{}, errStopping
	case err != nil:
		return lua.PlaceResult{}, err
	}
	return a.result, a.err
}

// stored returns the outcome of a task that SQL has; without a number if it has none.
func (p *Placer) stored(ctx context.Context, o *Order) (Outcome, error) {
	if o.RateLimited {
		return Outcome{}, o.Refusal
	}
	had, err := order.ByTask(ctx, p.db, o.Task)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Outcome{}, nil
	case err != nil:
		// It is unknown whether this order was placed before, so the refusal may be wrong.
		return Outcome{}, unknown(o, errors.Join(o.Refusal, err))
	case had.Digest != o.Digest:
		return Outcome{}, errKeyReused
	}
	onStoredTask.Mark()
	return Outcome{Code: lua.Replayed, Number: had.Number}, nil
}

// unknown returns the error for an order that may or may not have been placed.
func unknown(o *Order, err error) error {
	e := problem.Unavailable(err, "The order could not be placed in time; send it again with the same Idempotency-Key.")
	e.TaskID = o.SealedTask
	return e
}
