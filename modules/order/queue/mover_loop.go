package queue

import (
	"context"
	"sync"
	"time"

	"onrush/web/problem"
)

// maxRest bounds the pause of a lane after errors.
const maxRest = time.Second

// Run moves orders until ctx ends, and completes the batches that have begun. Each lane has its own
// loop, so that no lane waits for rows that another has locked. One pipeline reads the lengths of all
// queues and wakes the lanes that have entries. Errors are logged; after each consecutive error a lane
// pauses longer, up to a second. While cfg.Paused returns true, no batch begins.
func (m *Mover) Run(ctx context.Context) {
	var lanes sync.WaitGroup
	defer lanes.Wait()
	// A lane is woken with the context for its work, which ends when the movers are paused.
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

// wakeLanes wakes the lanes that have entries, until the movers are paused or ctx ends. The context that
// it passes to the lanes ends when it returns.
func (m *Mover) wakeLanes(ctx context.Context, wake []chan context.Context) {
	moving, pause := context.WithCancel(ctx)
	defer pause()
	for rest := m.cfg.Every; ctx.Err() == nil && !m.paused(ctx); {
		busy, err := m.busyLanes(moving)
		rest = m.restAfter(ctx, rest, err)
		for _, lane := range busy {
			select {
			case wake[lane] <- moving:
			default: // it is already woken
			}
		}
		sleep(ctx, rest)
	}
}

// runLoop moves a lane each time it is woken, until its queue is empty or the context it was woken
// with ends.
func (m *Mover) runLoop(ctx context.Context, lane int, wake <-chan context.Context) { //nolint:contextcheck // of Run
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

// restAfter logs an error and returns the next pause.
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
