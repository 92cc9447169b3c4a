package jobs

import (
	"context"
	"errors"
	"time"

	"onrush/lua"
	"onrush/web/problem"
)

// RunNow requests a run for an operator, also of a paused job, and returns its id; the history shows
// how it ends. The run waits for one in progress. While a requested run waits on this instance, RunNow
// returns the id of that one.
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
		go s.endNotBegun(r.RunID) // SQL may execute the insert later
		return "", problem.Unavailable(err, "The job can't be run right now.")
	}
	r.mayBeStored, j.waiting = true, r.RunID
	s.requested.Go(func() { s.runRequested(j, r) }) //nolint:contextcheck // a run outlives its request
	return r.RunID, nil
}

const (
	// notBegunMessage is the error of a refused run whose row SQL inserted late.
	notBegunMessage = "not begun"
	// A row that may come late is looked for endTries times, first after endFirstAfter and then each time
	// after twice as long, for at most endAtOnce runs at once.
	endTries, endFirstAfter, endAtOnce = 7, time.Second, 16
)

// endNotBegun ends the row of a run that was refused because SQL did not answer: SQL may still have
// executed the insert, and nobody runs it. A row that comes even later is ended as lost.
func (s *Scheduler) endNotBegun(runID string) {
	select {
	case s.ending <- struct{}{}:
		defer func() { <-s.ending }()
	default:
		return
	}
	for try := range endTries {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(endFirstAfter << try):
		}
		if found, err := s.history.endNotBegun(s.ctx, runID); err == nil && found {
			return
		}
	}
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
		case !errors.Is(err, lua.ErrLocked):
			s.history.end(context.WithoutCancel(s.ctx), r, 0, err)
			return
		}
		select {
		case <-waiting.Done():
			s.history.end(context.WithoutCancel(s.ctx), r, 0, errors.New("another run was in progress all the time"))
			return
		case <-time.After(retryLockAfter):
		}
	}
}
