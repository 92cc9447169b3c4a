package jobs

import (
	"context"
	"fmt"

	"onrush/modules/sqldb"
)

// prune deletes old runs and keeps the newest.
func (h *history) prune(ctx context.Context, job string) error {
	const query = `SELECT run_id FROM job_runs WHERE job = ?` + newestFirst + ` LIMIT ? OFFSET ?`
	var ids []string
	if err := h.db.Write.SelectContext(ctx, &ids, query, job, h.latest(), pruneMax, keepRuns); err != nil {
		return fmt.Errorf("select old runs of %s: %w", job, err)
	}
	if len(ids) == 0 {
		return nil
	}
	if _, err := h.exec(ctx, `DELETE FROM job_runs WHERE run_id IN (`+sqldb.In(len(ids))+`)`,
		sqldb.Args(ids)...); err != nil {
		return fmt.Errorf("delete old runs of %s: %w", job, err)
	}
	return nil
}

// endNotBegun ends a run that never began, if SQL has it.
func (h *history) endNotBegun(ctx context.Context, runID string) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	const update = `UPDATE job_runs SET state = 'failed', error = ?, ended_ms = ?
		WHERE run_id = ? AND state = 'running'`
	n, err := h.exec(ctx, update, notBegunMessage, h.now().UnixMilli(), runID)
	if err != nil {
		return false, fmt.Errorf("end run %s, which never began: %w", runID, err)
	}
	return n > 0, nil
}

// endLost marks the runs of a job as failed that have not ended long after their bound, since their
// instance was killed.
func (h *history) endLost(ctx context.Context, j *scheduled) error {
	now := h.now()
	const update = `UPDATE job_runs SET state = 'failed', error = ?, ended_ms = ?
		WHERE job = ? AND state = 'running' AND started_ms < ?`
	_, err := h.exec(ctx, update, lostMessage, now.UnixMilli(), j.Name, now.Add(-j.Within-lostAfter).UnixMilli())
	if err != nil {
		return fmt.Errorf("end lost runs of %s: %w", j.Name, err)
	}
	return nil
}
