package place

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"onrush/lua"
	"onrush/modules/gather"
)

// secondCallFrom is how many orders of a lane have to wait for a second call.
const secondCallFrom = 12

// placing is an order to place.
type placing struct {
	sale  *Sale
	order lua.PlaceOrder
	trace string // of its submit, if that is sampled
}

// answer is what inBatch returns for one order.
type answer struct {
	result lua.PlaceResult
	err    error
}

func (p *Placer) logPanic(lane, orders int, err error) {
	p.log.Error("placing failed", "lane", lane, "orders", orders, "error", err)
}

// placeCall is the part of a batch that shares a script call: orders of one version of an activity.
type placeCall struct {
	sale     *Sale
	from     int // the index of its first order in the batch; the others follow
	orders   []lua.PlaceOrder
	refusals []error // by order; nil if none is refused
}

// callsOf returns the calls of a batch, in which the orders of an activity come one after the other.
func callsOf(batch []placing) []placeCall {
	calls := make([]placeCall, 0, 1)
	for from := 0; from < len(batch); {
		sale, to := batch[from].sale, from+1
		for to < len(batch) && batch[to].sale.Activity == sale.Activity && batch[to].sale.Version == sale.Version &&
			batch[to].sale.EarlyMS == sale.EarlyMS && batch[to].sale.OffersOnly == sale.OffersOnly {
			to++
		}
		c := placeCall{sale: sale, from: from, orders: make([]lua.PlaceOrder, to-from)}
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
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.Within)
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
	// The clock is set by the times of all replies before the first reply is settled, which may take long.
	for i := range replies {
		if replies[i].Err == nil {
			p.observe(began, calls[i].sale, &replies[i])
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
			case c.refusals != nil && (results[k].Code == lua.TaskUnknown || results[k].Code == lua.NotLoaded):
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
	if err == nil && c.sale.Of != nil && isBehind(results) { // then nothing was placed
		onBehind.Mark()
		_, failed := p.lua.ChangeActivity(ctx, c.sale.Lane, c.sale.Activity, c.sale.Version, c.sale.Of.Changed())
		if failed == nil || errors.Is(failed, lua.ErrUnconfirmed) {
			results, err = p.call(ctx, c)
		}
	}
	if lua.IsFull(err) {
		onFull.Mark()
		c.refusals = refuseAll(c.orders, c.refusals, ErrOverloaded)
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
		p.observe(began, c.sale, &r)
	}
	return r.Results, r.Err
}

// observe notes a successful call for a sale that began at a time.
func (p *Placer) observe(began time.Time, sale *Sale, r *lua.PlaceReply) {
	p.clock.Observe(r.NowMS)
	p.placed(sale.Lane, sale.Activity, p.metrics.called(began, r.Results))
}

func (p *Placer) scriptCall(c *placeCall) *lua.PlaceCall {
	sale := c.sale
	var permitSKUs []string
	if sale.Of != nil {
		permitSKUs = sale.Of.PermitSKUs()
	}
	return &lua.PlaceCall{
		Lane: sale.Lane, Activity: sale.Activity, Version: sale.Version, Epoch: sale.Epoch, Permits: sale.Permits,
		PermitSKUs: permitSKUs, Waitlist: sale.Waitlist, OffersOnly: sale.OffersOnly, Reserves: sale.Reserves,
		EarlyMS:   sale.EarlyMS,
		ItemLimit: int64(sale.Item.Requests), ItemMS: int64(sale.Item.Seconds) * 1000, QueueLimit: p.cfg.QueueLimit,
		Confirm: p.cfg.Confirm, Orders: c.orders,
		// Redis may run the script after the callers have given up; then it must not place anything.
		DeadlineMS: p.clock.NowMS() + p.cfg.Within.Milliseconds(),
	}
}

// noteUnconfirmed counts and logs the orders of a script call that too few replicas have. They stay in the queue, are
// moved like all others, and are found by their Idempotency-Keys.
func (p *Placer) noteUnconfirmed(ctx context.Context, sale *Sale, results []lua.PlaceResult) {
	orders := 0
	for i := range results {
		if results[i].Unconfirmed {
			orders++
		}
	}
	if orders == 0 {
		return
	}
	onUnconfirmed.Mark()
	p.metrics.unconfirmed.Add(float64(orders))
	p.log.WarnContext(ctx, "too few replicas of redis have the orders in time",
		"activity_id", sale.Activity, "orders", orders, "replicas", p.cfg.Confirm.Replicas)
}
