package queue

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/modules/panics"
)

// laneLoop is the loop of one lane.
type laneLoop struct {
	wake    chan run
	running atomic.Bool  // from the wake until the run is over
	moved   atomic.Int64 // orders of its runs since the last look at the lane without a run
	again   chan<- struct{}
}

// run wakes a loop. Its context ends when the movers are paused; most is how many orders the loop moves, atOnce how
// many batches at once.
type run struct {
	ctx    context.Context //nolint:containedctx // it is handed over to another goroutine
	most   int64
	atOnce int
}

// Run moves orders until ctx ends, and completes the batches that have begun. Each lane has its own
// loop, so that no lane waits for rows that another has locked. One pipeline reads the lengths of all
// queues and wakes the lanes whose orders are due: while a crowd places orders, they wait up to
// cfg.Within. Errors are logged; after each consecutive error a lane pauses longer, up to a second. While
// cfg.Paused returns true, no batch begins.
func (m *Mover) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	lanes, again := []*laneLoop{nil}, make(chan struct{}, 1)
	loopOf := func(lane int) *laneLoop { // lanes may be added at any time
		for len(lanes) <= lane {
			added, l := len(lanes), &laneLoop{wake: make(chan run, 1), again: again}
			lanes = append(lanes, l)
			running.Go(func() { m.runLoop(ctx, added, l) })
		}
		return lanes[lane]
	}
	gathering := &gathering{within: m.cfg.Within, most: m.cfg.Gather}
	for ctx.Err() == nil {
		if !m.paused(ctx) {
			m.wakeLanes(ctx, gathering, loopOf, again)
		}
		sleep(ctx, m.cfg.Every)
	}
}

func (m *Mover) paused(ctx context.Context) bool { return m.cfg.Paused != nil && m.cfg.Paused(ctx) }

// wakeLanes wakes the lanes whose orders are due, until an operator pauses the movers or ctx ends. The context that it
// passes to the lanes ends when it returns. Between two looks it waits, unless a value is ready in again.
func (m *Mover) wakeLanes(
	ctx context.Context, gathering *gathering, loopOf func(lane int) *laneLoop, again <-chan struct{},
) {
	moving, pause := context.WithCancel(ctx)
	defer pause()
	for rest := m.cfg.Every; ctx.Err() == nil && !m.paused(ctx); {
		looks, err := m.look(moving, loopOf)
		rest = m.restAfter(ctx, rest, err)
		for lane, due := range gathering.due(looks, time.Now()) {
			if due.most > 0 {
				atOnce := batchesAtOnce
				if due.crowd {
					atOnce = 1
				}
				loopOf(lane).running.Store(true)
				loopOf(lane).wake <- run{moving, due.most, atOnce}
			}
		}
		if err != nil {
			sleep(ctx, rest)
			continue
		}
		sleepUntil(ctx, rest, again)
	}
}

// look reads the state of all queues; an error is as of lengths.
func (m *Mover) look(ctx context.Context, loopOf func(lane int) *laneLoop) ([]look, error) {
	running := make([]bool, m.site.Lanes(ctx)+1)
	for lane := 1; lane < len(running); lane++ {
		running[lane] = loopOf(lane).running.Load() // before the length: a run that ends meanwhile makes it wrong
	}
	lengths, err := m.lengths(ctx)
	looks := make([]look, len(lengths)) // there is no lane 0
	for lane := 1; lane < len(looks); lane++ {
		l := &looks[lane]
		l.length, l.running = lengths[lane], lane >= len(running) || running[lane]
		if !l.running && l.length != unknown {
			l.moved = loopOf(lane).moved.Swap(0)
		}
	}
	return looks, err
}

// unknown is the length of a queue that can't be read.
const unknown = -1

// lengths returns the lengths of the queues by lane, and an error if some are unknown.
func (m *Mover) lengths(ctx context.Context) ([]int64, error) {
	lanes := m.site.Lanes(ctx)
	reads := make([]*redis.IntCmd, lanes+1)
	_, err := m.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for lane := 1; lane <= lanes; lane++ {
			reads[lane] = p.LLen(ctx, m.lua.Keys.Queue(lane))
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("read queue lengths: %w", err)
	}
	lengths := make([]int64, lanes+1)
	for lane := 1; lane <= lanes; lane++ {
		lengths[lane] = reads[lane].Val()
		if reads[lane].Err() != nil {
			lengths[lane] = unknown
		}
	}
	return lengths, err
}

// runLoop moves a lane each time it is woken: as many orders as are due, until its queue is empty or the
// context it was woken with ends. After a run of a whole batch or more it asks for the next look, since a crowd may
// have placed more orders meanwhile.
func (m *Mover) runLoop(ctx context.Context, lane int, l *laneLoop) {
	rest := m.cfg.Every
	for {
		var r run
		select {
		case <-ctx.Done():
			return
		case r = <-l.wake:
		}
		more, long := true, r.most >= int64(m.cfg.Batch)
		for more && r.most > 0 && r.ctx.Err() == nil {
			moved, err := panics.RecoveredValue(func() (int, error) { return m.runLane(r.ctx, lane, r.most, r.atOnce) })
			more = moved > 0 && err == nil
			r.most -= int64(moved)
			l.moved.Add(int64(moved))
			if rest = m.restAfter(r.ctx, rest, err); err != nil { //nolint:contextcheck // derived in Run
				sleep(r.ctx, rest) //nolint:contextcheck // derived in Run
			}
		}
		l.running.Store(false)
		if more && long {
			select {
			case l.again <- struct{}{}:
			default:
			}
		}
	}
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) { sleepUntil(ctx, d, nil) }

// sleepUntil waits for d, until ctx ends, or until woken has a value.
func sleepUntil(ctx context.Context, d time.Duration, woken <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-woken:
	}
}

// Settle works like Drain, but also waits for the lanes that another mover moves, whose orders may not be stored yet.
func (m *Mover) Settle(ctx context.Context) error {
	const lookAgain = 5 * time.Millisecond
	for ctx.Err() == nil {
		moved, taken, err := m.runOnce(ctx)
		switch {
		case err != nil:
			return err
		case taken > 0:
			sleep(ctx, lookAgain)
		case moved == 0:
			return nil
		}
	}
	return ctx.Err()
}

// Drain moves orders until the queues are empty or ctx ends, and returns how many it moved.
func (m *Mover) Drain(ctx context.Context) (moved int, err error) {
	for ctx.Err() == nil {
		n, err := m.RunOnce(ctx)
		moved += n
		if err != nil || n == 0 {
			return moved, err
		}
	}
	return moved, ctx.Err()
}

// crowdRate is the growth of all queues together, in orders per second, from which on a crowd places orders. At
// lower rates moving takes so little from placing that it need not wait.
const crowdRate = 400

// gathering decides when the orders of the lanes are moved. While a crowd places orders, in whatever lanes, each batch
// would take processor time and Redis from placing, so the orders wait up to a time, and then move in full batches.
type gathering struct {
	within time.Duration // 0: orders are moved at once
	most   int64         // that wait at once in a lane; 0: any number

	lanes []gathered
}

// gathered is what gathering knows of one lane.
type gathered struct {
	waiting time.Time // since when orders wait that were not due yet; zero if there are none

	// Of the last look at the lane without a run: what comes during a run shows when it is over.
	length int64
	looked time.Time // zero before the first look

	rate  float64 // orders per second that came
	rated time.Time
}

// look is the state of a lane's queue.
type look struct {
	length  int64 // or unknown
	running bool  // the lane is being moved
	moved   int64 // by this instance since the last look without a run
}

// dueOrders are the orders of a lane that have to be moved now.
type dueOrders struct {
	most  int64 // 0: none; the constant everything: also the orders that come while the others are moved
	crowd bool  // places orders meanwhile, so that moving has to leave it processor time
}

// everything is the bound on a run over a lane that moves until its queue is empty.
const everything = math.MaxInt64

// due returns which orders have to be moved now, by lane.
func (g *gathering) due(looks []look, now time.Time) []dueOrders {
	for len(g.lanes) < len(looks) { // lanes may be added at any time
		g.lanes = append(g.lanes, gathered{})
	}
	rate := 0.0
	for i, l := range looks {
		lane := &g.lanes[i]
		lane.see(l, now)
		if now.Sub(lane.rated).Abs() < rateLasts {
			rate += lane.rate
		}
	}
	crowd := rate >= crowdRate
	due := make([]dueOrders, len(looks))
	for lane, l := range looks {
		if l.length != unknown {
			due[lane] = g.dueOf(&g.lanes[lane], l, crowd, now)
		}
	}
	return due
}

// dueOf returns which orders of one lane have to be moved now.
func (g *gathering) dueOf(lane *gathered, l look, crowd bool, now time.Time) dueOrders {
	switch {
	case l.length == 0:
		lane.waiting = time.Time{}
		return dueOrders{}
	case l.running:
		return dueOrders{}
	case g.within == 0:
		return dueOrders{most: everything}
	case !crowd:
		lane.waiting = time.Time{}
		return dueOrders{most: l.length} // not everything: a crowd may come while these are moved
	case g.most > 0 && l.length >= g.most:
		lane.waiting = now
		return dueOrders{most: l.length} // the queue must not become full
	case lane.waiting.IsZero():
		lane.waiting = now
		return dueOrders{}
	case now.Sub(lane.waiting).Abs() < g.within:
		return dueOrders{}
	}
	lane.waiting = now // the oldest order that stays behind came after this look
	return dueOrders{most: l.length, crowd: true}
}

// rateLasts is for how long a lane counts as growing as fast as when its growth was last seen.
const rateLasts = time.Second

// see takes how many orders have come into the lane since the last look without a run.
func (g *gathered) see(l look, now time.Time) {
	const least, longest = 50 * time.Millisecond, time.Second
	if l.length == unknown || l.running {
		return
	}
	elapsed := least
	if !g.looked.IsZero() {
		elapsed = min(max(now.Sub(g.looked), least), longest)
	}
	if came := l.length + l.moved - g.length; came >= 0 { // else another instance has moved some
		g.rate, g.rated = float64(came)/elapsed.Seconds(), now
	}
	g.length, g.looked = l.length, now
}
