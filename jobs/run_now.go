package jobs

import (
	"context"
	"errors"
	"time"

	"onrush/lua"
	"onrush/web/problem"
)

// RunNow begins a run that an operator asked for, also of a paused job, and returns its id; the
// history tells how it ends. It waits for a run that is under way. While one that was asked for
// waits here, that one is meant.
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
	r := s.history.begin(j, by) //nolint:contextcheck // a run outlives who asked for it
	if err := s.history.insert(ctx, &r.Run); err != nil {
		go s.takeBack(r.RunID) // SQL may carry the insert out later
		return "", problem.Unavailable(err, "The job can't be run right now.")
	}
	r.noted, j.waiting = true, r.RunID
	s.asked.Go(func() { s.runAsked(j, r) }) //nolint:contextcheck // a run outlives who asked for it
	return r.RunID, nil
}

const (
	// errNotBegun is the error of a run that SQL noted after it had been refused.
	errNotBegun = "not begun"
	// A row that may come late is looked for this often, at first after takeBackFirst and then each
	// time twice as late; for so many runs at once.
	takeBackTries, takeBackFirst, takeBackAtOnce = 7, time.Second, 16
)

// takeBack ends the row of a run that was refused since SQL did not answer: SQL may have carried the
// insert out all the same, and nobody runs it. Where the row comes later still, it is given up as lost.
func (s *Scheduler) takeBack(runID string) {
	select {
	case s.takingBack <- struct{}{}:
		defer func() { <-s.takingBack }()
	default:
		return
	}
	for try := range takeBackTries {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(takeBackFirst << try):
		}
		if found, err := s.history.takeBack(s.ctx, runID); err == nil && found {
			return
		}
	}
}

// runAsked carries out a run that was asked for, as soon as no other is under way. It waits for as
// long as another may last; its own time begins when it does.
func (s *Scheduler) runAsked(j *scheduled, r *run) {
	waiting, cancel := context.WithTimeout(s.ctx, j.Within)
	defer cancel()
	begun := func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.waiting == r.RunID { // another may have been asked for since this one began
			j.waiting = ""
		}
	}
	defer begun()
	for {
		err := s.alone(s.ctx, j, func(ctx context.Context) error {
			begun()
			ctx, cancel := context.WithTimeout(ctx, j.Within)
			defer cancel()
			s.history.beginAsked(ctx, r)
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
			s.history.end(context.WithoutCancel(s.ctx), r, 0, errors.New("another run was under way all the time"))
			return
		case <-time.After(askAgain):
		}
	}
}
