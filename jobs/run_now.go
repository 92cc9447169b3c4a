package jobs

import (
	"context"
	"errors"

	"onrush/modules/loop"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
)

// RunNow requests a run for an operator, also of a paused job, and returns its id; the history shows how it ends. The
// run waits for one in progress. If a requested run already waits on this instance, RunNow returns its id and requests
// no other.
func (s *Scheduler) RunNow(ctx context.Context, name, by string) (runID string, err error) {
	j, err := s.job(name)
	if err != nil {
		return "", err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.waiting != "" {
		return j.waiting, nil
	}
	if s.ctx.Err() != nil {
		return "", problem.Unavailable(s.ctx.Err(), "This instance is stopping.")
	}
	r := s.history.begin(j, by) //nolint:contextcheck // a run outlives its request
	if err := s.history.insert(ctx, &r.Run); err != nil {
		// If SQL executes the insert later, nobody runs it, and endLost ends it.
		return "", problem.Unavailable(err, "The job can't be run right now.")
	}
	r.mayBeStored, j.waiting = true, r.RunID
	s.requested.Go(func() { s.runRequested(j, r) }) //nolint:contextcheck // a run outlives its request
	return r.RunID, nil
}

// runRequested carries out a requested run as soon as no other is in progress. It waits as long as
// another run may take; its own time begins when it begins.
func (s *Scheduler) runRequested(j *scheduled, r *run) {
	waiting, cancel := context.WithTimeout(s.ctx, j.Within)
	defer cancel()
	begun := func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.waiting == r.RunID { // another may have been requested since this one began
			j.waiting = ""
		}
	}
	defer begun()
	for {
		err := s.alone(s.ctx, j, func(ctx context.Context) error {
			begun()
			ctx, cancel := context.WithTimeout(ctx, j.Within)
			defer cancel()
			s.history.beginRequested(ctx, r)
			s.carryOut(ctx, j, r)
			return nil
		})
		switch {
		case err == nil:
			return
		case !errors.Is(err, redisdb.ErrLocked):
			s.history.end(context.WithoutCancel(s.ctx), r, 0, err)
			return
		}
		if loop.Wait(waiting, retryLockAfter) != nil {
			s.history.end(context.WithoutCancel(s.ctx), r, 0, errors.New("another run was in progress all the time"))
			return
		}
	}
}
