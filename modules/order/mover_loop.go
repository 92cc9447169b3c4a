package order

import (
	"context"
	"sync"
	"time"

	"onrush/web/problem"
)

// maxRest bounds how long a lane rests after errors.
const maxRest = time.Second

// Run moves orders until ctx ends; the batches under way are finished. Each lane has a loop of its
// own, so that no lane waits for rows that another needs. One pipeline reads the lengths of all
// queues and wakes the lanes that have entries. Errors are logged, and what failed waits longer
// after each, up to a second. While cfg.Paused returns true, no batch begins.
func (m *Mover) Run(ctx context.Context) {
	var lanes sync.WaitGroup
	defer lanes.Wait()
	// A lane is woken with the context that it works under; it ends when the movers are paused.
	wake := make([]chan context.Context, m.cfg.Lanes+1)
	for lane := 1; lane <= m.cfg.Lanes; lane++ {
		wake[lane] = make(chan context.Context, 1)
		lanes.Go(func() { m.runLoop(ctx, lane, wake[lane]) })
	}
	for ctx.Err() == nil {
		if !m.paused(ctx) {
			m.wakeLanes(ctx, wake)
		}
		sleep(ctx, m.cfg.Every)
	}
}

func (m *Mover) paused(ctx context.Context) bool { return m.cfg.Paused != nil && m.cfg.Paused(ctx) }

// wakeLanes wakes the lanes that have entries, until the movers are paused or ctx ends. What the
// lanes work under ends with it.
func (m *Mover) wakeLanes(ctx context.Context, wake []chan context.Context) {
	moving, pause := context.WithCancel(ctx)
	defer pause()
	for rest := m.cfg.Every; ctx.Err() == nil && !m.paused(ctx); {
		busy, err := m.busyLanes(moving)
		rest = m.restAfter(ctx, rest, err)
		for _, lane := range busy {
			select {
			case wake[lane] <- moving:
			default: // it has been woken already
			}
		}
		sleep(ctx, rest)
	}
}

// runLoop moves a lane each time it is woken, until its queue is empty or the context it was woken
// with ends.
func (m *Mover) runLoop(ctx context.Context, lane int, wake <-chan context.Context) { //nolint:contextcheck // the contexts come from Run
	rest := m.cfg.Every
	for {
		var moving context.Context
		select {
		case <-ctx.Done():
			return
		case moving = <-wake:
		}
		for more := true; more && moving.Err() == nil; {
			moved, err := problem.Recovered(func() (int, error) { return m.runLane(moving, lane) })
			more = moved > 0 && err == nil
			if rest = m.restAfter(moving, rest, err); err != nil { //nolint:contextcheck // derived in Run
				sleep(moving, rest) //nolint:contextcheck // derived in Run
			}
		}
	}
}

// restAfter logs an error and returns the next rest.
func (m *Mover) restAfter(ctx context.Context, rest time.Duration, err error) time.Duration {
	if err == nil || ctx.Err() != nil {
		return m.cfg.Every
	}
	m.log.WarnContext(ctx, "moving orders failed", "err", err)
	return min(2*rest, maxRest)
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Drain moves until the queues are empty or ctx ends, and returns how many orders it moved.
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
