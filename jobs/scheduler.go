package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"

	"onrush/modules/redisdb"
)

// Scheduler runs jobs when they are due, and when an operator requests it.
type Scheduler struct {
	jobs    []*scheduled
	byName  map[string]*scheduled // without internal ones
	history *history
	pauses  *Pauses
	metrics *metrics
	parts   Deps
	log     *slog.Logger

	began     time.Time
	ctx       context.Context // of all runs; cancel ends them
	cancel    context.CancelFunc
	requested sync.WaitGroup // requested runs

	starting sync.Mutex       // guards cron and stopped
	cron     gocron.Scheduler // nil until Start
	stopped  bool
}

// scheduled is a job and its state on this instance.
type scheduled struct {
	Job
	// turn holds one token while this instance runs the job, so that it runs once at a time even
	// while Redis is unavailable.
	turn chan struct{}

	mu      sync.Mutex
	waiting string // id of the requested run that has not begun
}

const (
	// stopWithin bounds how long Stop waits for runs before it ends them, and then how long it waits for their end.
	stopWithin = 5 * time.Second
	// retryLockAfter is how long a requested run waits before it tries the lock again.
	retryLockAfter = 50 * time.Millisecond
)

// New makes a scheduler of jobs. No job becomes due before Start. Runs have the values of ctx, and end
// when the scheduler is stopped.
func New(ctx context.Context, list []Job, p Deps) (*Scheduler, error) {
	s := &Scheduler{
		byName: map[string]*scheduled{}, history: newHistory(p), pauses: cmp.Or(p.Pauses, NewPauses(p.DB, p.Now)),
		metrics: newMetrics(), parts: p, log: p.Log,
	}
	for _, j := range list {
		if j.Name == "" || len(j.Name) > 25 || j.Every < time.Millisecond || j.Within <= 0 || s.byName[j.Name] != nil {
			return nil, fmt.Errorf("job %q: it needs a name of its own of at most 25 characters, and times above 0",
				j.Name)
		}
		job := &scheduled{Job: j, turn: make(chan struct{}, 1)}
		s.jobs = append(s.jobs, job)
		if !j.Internal {
			s.byName[j.Name] = job
		}
	}
	s.began = p.Now()
	s.metrics.begin(s.jobs, s.began)
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return s, nil
}

// startsIn is when a job runs for the first time at the earliest. gocron refuses a start in the past, and on a busy
// machine a start that is too near may be past when gocron sees it.
const startsIn = time.Second

// Start begins to run the jobs when they are due. It does nothing after Stop: an instance may be stopped
// while it still waits for its stores.
func (s *Scheduler) Start() error {
	s.rememberSuccesses()
	cron, err := gocron.NewScheduler(gocron.WithLocation(time.UTC), gocron.WithStopTimeout(2*stopWithin))
	if err != nil {
		return fmt.Errorf("make the scheduler: %w", err)
	}
	for _, j := range s.jobs {
		// gocron reads the machine's clock, so the time of the first run is converted to it.
		now := s.parts.Now()
		first := time.Now().Add(max(j.nextDue(now).Sub(now), startsIn))
		_, err := cron.NewJob(
			gocron.DurationJob(j.Every),
			gocron.NewTask(func() { s.due(j) }),
			gocron.WithName(j.Name),
			gocron.WithSingletonMode(gocron.LimitModeReschedule),
			gocron.WithStartAt(gocron.WithStartDateTime(first)),
		)
		if err != nil {
			return errors.Join(fmt.Errorf("schedule %s: %w", j.Name, err), cron.Shutdown())
		}
	}
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.stopped {
		return cron.Shutdown()
	}
	s.cron = cron
	cron.Start()
	return nil
}

// Stop starts no more runs, waits for the runs in progress, and cancels runs that take too long.
func (s *Scheduler) Stop() error {
	late := time.AfterFunc(stopWithin, s.cancel)
	defer late.Stop()
	defer s.cancel()
	s.starting.Lock()
	s.stopped = true
	cron := s.cron
	s.starting.Unlock()
	var err error
	if cron != nil {
		err = cron.Shutdown()
	}
	s.requested.Wait() // they end with ctx
	if err != nil {
		return fmt.Errorf("stop the scheduler: %w", err)
	}
	return nil
}

// due runs a job that is due, unless it is paused or another instance has run it. A failure is logged; the job
// is due again at its next moment.
func (s *Scheduler) due(j *scheduled) {
	ctx, cancel := context.WithTimeout(s.ctx, j.Within)
	defer cancel()
	if j.Internal {
		began := s.parts.Now()
		_, err := j.run(ctx)
		s.metrics.ran(j.Name, began, s.parts.Now(), err)
		if err != nil && s.ctx.Err() == nil {
			s.log.WarnContext(ctx, "job failed", "job", j.Name, "error", err)
		}
		return
	}
	paused, err := s.pauses.has(ctx, j.Name)
	if err != nil { // a job that may be paused must not run, and without SQL there is little to do
		onUnknownPause.Mark()
		s.log.WarnContext(ctx, "a job that may be paused was not run", "job", j.Name, "error", err)
		return
	}
	if paused {
		return
	}
	slot := j.slot(s.parts.Now())
	err = s.alone(ctx, j, func(ctx context.Context) error {
		// If Redis is full or unavailable and can't store the mark, several instances may run the job.
		// That repeats work and does no harm.
		claimed, err := s.parts.Redis.SetNX(ctx, s.parts.Keys.JobDue(j.Name, slot), s.parts.Instance,
			2*j.Every+time.Second).Result()
		if err != nil {
			onNoMark.Mark()
		}
		if err == nil && !claimed {
			return nil // another instance has just carried it out
		}
		s.carryOut(ctx, j, s.history.begin(j, "")) //nolint:contextcheck // the history outlives the run
		return nil
	})
	if err != nil && !errors.Is(err, redisdb.ErrLocked) && s.ctx.Err() == nil {
		s.history.end(context.WithoutCancel(ctx), s.history.begin(j, ""), 0, err)
		s.log.WarnContext(ctx, "job not run", "job", j.Name, "error", err)
	}
}

// alone runs fn while no other run of the job is in progress, on this or any other instance. It
// returns redisdb.ErrLocked without running fn if there is one. If Redis can't give the lock, only this
// instance is limited to one run at a time.
func (s *Scheduler) alone(ctx context.Context, j *scheduled, fn func(ctx context.Context) error) error {
	select {
	case j.turn <- struct{}{}:
		defer func() { <-j.turn }()
	default:
		return redisdb.ErrLocked
	}
	return s.parts.Locks.Try(ctx, []string{s.parts.Keys.JobLock(j.Name)}, fn)
}

// carryOut does the work of a run and stores how it ended.
func (s *Scheduler) carryOut(ctx context.Context, j *scheduled, r *run) {
	done, err := j.run(ctx)
	if err == nil && ctx.Err() != nil {
		onCutShort.Mark()
		err = fmt.Errorf("cut short after %s: %w", s.parts.Now().Sub(time.UnixMilli(int64(r.StartedMS))), ctx.Err())
	}
	s.history.end(context.WithoutCancel(ctx), r, done, err)
	s.metrics.ran(j.Name, time.UnixMilli(int64(r.StartedMS)), s.parts.Now(), err)
	switch {
	case err != nil && s.ctx.Err() == nil:
		s.log.WarnContext(ctx, "job failed", "job", j.Name, "done", done, "error", err)
	case done > 0:
		s.log.DebugContext(ctx, "job ran", "job", j.Name, "done", done)
	}
}
