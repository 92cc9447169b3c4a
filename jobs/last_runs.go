package jobs

import (
	"context"
	"fmt"
	"time"
)

// rememberSuccesses lets the metrics of this instance begin where the metrics of earlier instances ended: a job that
// has stood since before a restart must not look as if it had just succeeded.
func (s *Scheduler) rememberSuccesses() {
	ctx, cancel := context.WithTimeout(s.ctx, writeWithin)
	defer cancel()
	succeeded, err := s.history.lastSuccesses(ctx)
	if err != nil {
		s.log.WarnContext(ctx, "when the jobs last succeeded can't be read", "error", err)
	}
	known := map[string]time.Time{}
	for name := range s.byName { // not the jobs of an older version or another configuration
		if at, found := succeeded[name]; found {
			known[name] = at
		}
	}
	s.metrics.remember(known, s.parts.Now())
}

// lastSuccesses returns when the last run of each job that succeeded ended.
func (h *history) lastSuccesses(ctx context.Context) (map[string]time.Time, error) {
	var rows []struct {
		Job   string `db:"job"`
		Ended int64  `db:"ended"`
	}
	if err := h.db.Write.SelectContext(ctx, &rows,
		`SELECT job, MAX(ended_ms) AS ended FROM job_runs WHERE state = ? GROUP BY job`, Done); err != nil {
		return nil, fmt.Errorf("select the last successes: %w", err)
	}
	ended := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		ended[r.Job] = time.UnixMilli(r.Ended)
	}
	return ended, nil
}

// CheckLastEnd returns an error if no run of a job has ended for longer than within, on any instance, since this one
// began. A run that failed has ended, too.
func (s *Scheduler) CheckLastEnd(ctx context.Context, job string, within time.Duration) error {
	var ended int64
	if err := s.parts.DB.Write.GetContext(ctx, &ended,
		`SELECT COALESCE(MAX(ended_ms), 0) FROM job_runs WHERE job = ?`, job); err != nil {
		return fmt.Errorf("select the last end of %s: %w", job, err)
	}
	last := time.UnixMilli(max(ended, s.began.UnixMilli()))
	if ago := s.parts.Now().Sub(last); ago > within {
		return fmt.Errorf("no run of %s has ended for %s", job, ago.Round(time.Second))
	}
	return nil
}
