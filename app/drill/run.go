package drill

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"time"

	"onrush/app/drill/meter"
	"onrush/app/drill/wire"
	"onrush/app/operator"
	"onrush/modules/loop"
	"onrush/web/client"
)

// maxVisitors is how many visitors are in progress at once; others that arrive are dropped, and counted.
const maxVisitors = 20_000

// run is one drill.
type run struct {
	cfg      Config
	id       string // no other drill has it
	plan     *Plan
	began    time.Time
	wire     *wire.Wire
	operator *operator.Client
	record   *record
	meter    *meter.Meter
	gates    *gates
	feed     *feed
	proofs   chan struct{}

	mu     sync.Mutex
	source *rand.Rand // guarded by mu
	sales  []*sale
	made   []string // ids of the sales that the drill published
}

// Running is what a drill tells those who disturb it.
type Running struct {
	Context context.Context // ends with the sales
	Start   time.Time       // of the first sale
	Over    time.Duration
	// Happened notes that a fault of the configuration has happened.
	Happened func(fault string)
}

// Run carries out a drill and judges it. An error says that it could not be carried out.
func Run(ctx context.Context, cfg Config) (report *Report, err error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	r, err := newRun(cfg)
	if err != nil {
		return nil, err
	}
	if !cfg.Keep {
		defer func() {
			switch left := r.clean(context.WithoutCancel(ctx)); {
			case left == nil:
			case report == nil:
				err = errors.Join(err, left)
			default:
				report.Notes = append(report.Notes, left.Error())
			}
		}()
	}
	err = r.prepare(ctx)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the drill was stopped: %w", context.Cause(ctx))
	}
	if err != nil {
		return nil, err
	}
	reading, stopFeed := context.WithCancel(ctx)
	defer stopFeed()
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stopFeed()
	watching.Go(func() { r.feed.follow(reading) })
	watching.Go(func() { r.watch(reading) })
	r.rehearse(ctx)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the drill was stopped: %w", context.Cause(ctx))
	}
	v, err := r.settle(ctx)
	if err != nil {
		return nil, err
	}
	return r.report(v), nil
}

func newRun(cfg Config) (*run, error) {
	w, err := wire.New(cfg.URLs)
	if err != nil {
		return nil, err
	}
	c := operator.NewClient(cfg.Token, cfg.URLs...)
	c.Patience = patience
	now := time.Now()
	r := &run{
		cfg: cfg, id: now.UTC().Format("0102150405") + strings.ToLower(crand.Text()[:4]),
		plan: newPlan(&cfg), began: now, wire: w, operator: c,
		record: newRecord(cfg.History, now), meter: meter.New(now), gates: newGates(),
		proofs: make(chan struct{}, max(runtime.GOMAXPROCS(0)/2, 1)),
		source: rand.New(rand.NewPCG(cfg.Seed, 1)), //nolint:gosec // waits are repeatable
	}
	r.feed = &feed{run: r, events: map[string]event{}}
	return r, nil
}

// random returns a random number; any goroutine may call it.
func (r *run) random() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Uint64()
}

// rehearse lets the visitors come as planned, and returns when the last one has left.
func (r *run) rehearse(ctx context.Context) {
	r.meter.Count(true)
	defer r.meter.Count(false)
	end := r.sales[len(r.sales)-1].StartsAt.Add(r.cfg.Over)
	beside, over := context.WithDeadline(ctx, end.Add(patience))
	var others, visitors sync.WaitGroup
	others.Go(func() { r.stranger(beside) })
	others.Go(func() { r.intrude(beside) })
	if r.cfg.During != nil {
		running := Running{
			Context: beside, Start: r.sales[0].StartsAt, Over: r.cfg.Over,
			Happened: func(fault string) { r.record.count(fault, 1) },
		}
		others.Go(func() { r.cfg.During(running) })
	}
	others.Go(func() { r.every(beside, 500*time.Millisecond, func() { r.progress("sale") }) })
	if r.floods() {
		flooding := Visitor{Number: len(r.plan.Visitors)}
		others.Go(func() {
			if loop.Wait(beside, time.Until(r.sales[0].StartsAt.Add(r.cfg.Over/4))) == nil {
				r.flood(beside, flooding)
			}
		})
	}
	visitors.Go(func() { r.setAside(ctx) })
	slots := make(chan struct{}, maxVisitors)
	for _, v := range byArrival(r.plan.Visitors, r.sales) {
		due := r.sales[v.Sale].StartsAt.Add(v.At)
		if loop.Wait(ctx, time.Until(due)) != nil {
			break
		}
		select {
		case slots <- struct{}{}:
			r.meter.Arrive(false)
		default:
			r.meter.Arrive(true)
			continue
		}
		visitors.Go(func() { r.beside(ctx, v) })
		visitors.Go(func() {
			defer func() { <-slots }()
			s, err := r.newShopper(ctx, v)
			if err != nil {
				r.record.problem(checkOrders, "a visitor has no token: %v", err)
				return
			}
			s.Due = due
			s.visit(ctx)
		})
	}
	visitors.Wait()
	over()
	others.Wait()
}

// floods reports whether one client sends what it can.
func (r *run) floods() bool { return r.cfg.Flood || r.cfg.Scenario == Flood }

// every calls do at an interval until ctx ends.
func (r *run) every(ctx context.Context, interval time.Duration, do func()) {
	for loop.Wait(ctx, interval) == nil {
		do()
	}
}

func (r *run) progress(phase string) {
	if r.cfg.Progress == nil {
		return
	}
	arrived, queue := r.meter.Progress()
	r.cfg.Progress(Progress{
		Phase: phase, At: time.Since(r.began), Arrived: arrived, Visitors: len(r.plan.Visitors),
		Accepted: r.record.accepted(), Queue: queue,
	})
}

// watch reads what an operator sees, until ctx ends.
func (r *run) watch(ctx context.Context) {
	r.every(ctx, 500*time.Millisecond, func() {
		var queued, oldest, left int64
		for _, s := range r.sales {
			stats, err := r.stats(ctx, s)
			if err != nil || stats.Partial { // without a store its figures are missing
				return
			}
			queued += stats.Placed
			oldest = max(oldest, stats.Queue.OldestMs)
			for _, stock := range stats.Stock {
				if stock.Remaining != nil { // the sale is loaded
					left += *stock.Remaining
				}
			}
		}
		r.meter.Note(queued, oldest, left)
	})
}

func (r *run) stats(ctx context.Context, s *sale) (*client.Stats, error) {
	var figures client.Stats
	err := r.operator.Get(ctx, "/admin/api/v1/activities/"+s.ActivityID+"/stats", &figures)
	return &figures, err
}
