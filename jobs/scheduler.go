// Package jobs gives the modules their time: each job is a bounded RunOnce of a module, and the
// scheduler calls it over and over, never twice at once in one instance. Every job is idempotent,
// so instances that run the same one side by side do no harm.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-co-op/gocron/v2"
)

// Job is one piece of work that is done over and over.
type Job struct {
	Name string
	// Every is the time between two starts.
	Every time.Duration
	// Within bounds one run.
	Within time.Duration
	// RunOnce does the work and returns how many things it did.
	RunOnce func(ctx context.Context) (int, error)
}

// Scheduler runs jobs.
type Scheduler struct {
	cron gocron.Scheduler
	log  *slog.Logger
}

// New makes a scheduler of jobs; Start starts it. Runs get ctx, so that they end with it.
func New(ctx context.Context, list []Job, log *slog.Logger) (*Scheduler, error) {
	cron, err := gocron.NewScheduler(gocron.WithLocation(time.UTC), gocron.WithStopTimeout(10*time.Second))
	if err != nil {
		return nil, fmt.Errorf("make the scheduler: %w", err)
	}
	s := &Scheduler{cron: cron, log: log}
	for _, j := range list {
		_, err := cron.NewJob(
			gocron.DurationJob(j.Every),
			gocron.NewTask(func() { s.run(ctx, j) }),
			gocron.WithName(j.Name),
			gocron.WithSingletonMode(gocron.LimitModeReschedule),
			gocron.WithStartAt(gocron.WithStartImmediately()),
		)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("schedule %s: %w", j.Name, err), cron.Shutdown())
		}
	}
	return s, nil
}

func (s *Scheduler) run(ctx context.Context, j Job) {
	ctx, cancel := context.WithTimeout(ctx, j.Within)
	defer cancel()
	began := time.Now()
	done, err := j.RunOnce(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.WarnContext(ctx, "job failed", "job", j.Name, "done", done, "err", err)
	case done > 0:
		s.log.DebugContext(ctx, "job ran", "job", j.Name, "done", done, "took", time.Since(began))
	}
}

// Start begins to run the jobs.
func (s *Scheduler) Start() { s.cron.Start() }

// Stop starts no more runs and waits for those under way.
func (s *Scheduler) Stop() error {
	if err := s.cron.Shutdown(); err != nil {
		return fmt.Errorf("stop the scheduler: %w", err)
	}
	return nil
}
