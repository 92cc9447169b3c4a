package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"onrush/modules/api"
	"onrush/modules/problem"
)

// JobView is a job as operators see it.
type JobView struct {
	Name     string `json:"name"`
	EveryS   int64  `json:"every_s"`
	Paused   bool   `json:"paused"`
	PausedBy string `json:"paused_by,omitempty"`
	// PausedAt is when it was paused; 0 if it isn't.
	PausedAt api.Millis `json:"paused_at,omitzero"`
	// Running reports whether any instance runs it.
	Running bool `json:"running"`
	// LastRun is the run that began last.
	LastRun *Run `json:"last_run,omitempty"`
	// NextRunAt is when it is next due; it is 0 while the job is paused.
	NextRunAt api.Millis `json:"next_run_at,omitzero"`
	// LastError is why the last run that ended failed, and LastErrorAt when; "" if it did not.
	LastError   string     `json:"last_error,omitempty"`
	LastErrorAt api.Millis `json:"last_error_at,omitzero"`
}

// List returns all jobs that operators see.
func (s *Scheduler) List(ctx context.Context) ([]JobView, error) {
	paused, err := s.pauses.read(ctx)
	if err != nil {
		return nil, unreadable(err)
	}
	list := make([]JobView, 0, len(s.byName))
	for _, j := range s.jobs {
		if j.Internal {
			continue
		}
		view, err := s.view(ctx, j, paused)
		if err != nil {
			return nil, unreadable(err)
		}
		list = append(list, view)
	}
	return list, nil
}

func unreadable(err error) error {
	return problem.Unavailable(err, "The jobs can't be read right now.")
}

func (s *Scheduler) view(ctx context.Context, j *scheduled, paused map[string]Pause) (JobView, error) {
	if err := s.history.endLost(ctx, j); err != nil {
		return JobView{}, err
	}
	view := JobView{Name: j.Name, EveryS: int64(j.Every / time.Second)}
	if pause, is := paused[j.Name]; is {
		view.Paused, view.PausedBy, view.PausedAt = true, pause.By, pause.At
	} else {
		view.NextRunAt = api.Millis(j.nextDue(s.parts.Now()).UnixMilli())
	}
	var last, ended Run
	const newest = newestFirst + ` LIMIT 1`
	latest := s.history.latest()
	err := s.parts.DB.Write.GetContext(ctx, &last, `SELECT `+runColumns+` FROM job_runs WHERE job = ?`+newest,
		j.Name, latest)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return view, nil
	case err != nil:
		return JobView{}, fmt.Errorf("select last run of %s: %w", j.Name, err)
	}
	view.LastRun = &last
	err = s.parts.DB.Write.GetContext(ctx, &ended,
		`SELECT `+runColumns+` FROM job_runs WHERE job = ? AND state <> 'running'`+newest, j.Name, latest)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return JobView{}, fmt.Errorf("select last run of %s that ended: %w", j.Name, err)
	}
	if ended.State == Failed {
		view.LastError, view.LastErrorAt = ended.Error, ended.EndedMS
	}
	var running int
	if err := s.parts.DB.Write.GetContext(ctx, &running,
		`SELECT COUNT(*) FROM job_runs WHERE job = ? AND state = 'running'`, j.Name); err != nil {
		return JobView{}, fmt.Errorf("count running runs of %s: %w", j.Name, err)
	}
	view.Running = running > 0
	return view, nil
}

// job returns the job of a name, if operators see it.
func (s *Scheduler) job(name string) (*scheduled, error) {
	j, ok := s.byName[name]
	if !ok {
		return nil, problem.NotFound("job")
	}
	return j, nil
}

// Pause stops the due runs of a job on all instances until it is resumed.
func (s *Scheduler) Pause(ctx context.Context, name, by string) (JobView, error) {
	return s.change(ctx, name, func() error { return s.pauses.pause(ctx, name, by) })
}

// Resume ends a pause.
func (s *Scheduler) Resume(ctx context.Context, name string) (JobView, error) {
	return s.change(ctx, name, func() error { return s.pauses.resume(ctx, name) })
}

func (s *Scheduler) change(ctx context.Context, name string, do func() error) (JobView, error) {
	j, err := s.job(name)
	if err != nil {
		return JobView{}, err
	}
	if err := do(); err != nil {
		return JobView{}, problem.Unavailable(err, "The job can't be changed right now.")
	}
	paused, err := s.pauses.read(ctx)
	if err != nil {
		return JobView{}, unreadable(err)
	}
	view, err := s.view(ctx, j, paused)
	if err != nil {
		return JobView{}, unreadable(err)
	}
	return view, nil
}

// Runs lists the runs of a job, the newest first. The runs that had nothing to do share one row,
// which shows the last of them.
func (s *Scheduler) Runs(ctx context.Context, name string, page api.Page) (api.List[Run], error) {
	j, err := s.job(name)
	if err != nil {
		return api.List[Run]{}, err
	}
	var total int64
	var runs []Run
	err = errors.Join(
		s.history.endLost(ctx, j),
		s.parts.DB.Write.GetContext(ctx, &total, `SELECT COUNT(*) FROM job_runs WHERE job = ?`, name),
		s.parts.DB.Write.SelectContext(ctx, &runs, `SELECT `+runColumns+` FROM job_runs WHERE job = ?`+newestFirst+`
			LIMIT ? OFFSET ?`, name, s.history.latest(), page.Size, page.Offset()),
	)
	if err != nil {
		return api.List[Run]{}, unreadable(fmt.Errorf("select runs of %s: %w", name, err))
	}
	return api.List[Run]{
		Items: runs, Page: page.Page, PageSize: page.Size, Total: &total, NextCursor: page.Next(total),
	}, nil
}
