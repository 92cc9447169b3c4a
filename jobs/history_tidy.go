package jobs

import (
	"context"
	"fmt"

	"onrush/modules/sqldb"
)

// prune removes old runs, so that the newest are kept.
func (h *history) prune(ctx context.Context, job string) error {
	var old []any
	const query = `SELECT run_id FROM job_runs WHERE job = ?` + newestFirst + ` LIMIT ? OFFSET ?`
	var ids []string
	if err := h.db.Write.SelectContext(ctx, &ids, query, job, h.latest(), pruneAtOnce, kept); err != nil {
		return fmt.Errorf("select old runs of %s: %w", job, err)
	}
	for _, id := range ids {
		old = append(old, id)
	}
	if len(old) == 0 {
		return nil
	}
	if _, err := h.exec(ctx, `DELETE FROM job_runs WHERE run_id IN (`+sqldb.In(len(old))+`)`, old...); err != nil {
		return fmt.Errorf("remove old runs of %s: %w", job, err)
	}
	return nil
}

// takeBack ends a run that never began, if SQL has it.
func (h *history) takeBack(ctx context.Context, runID string) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	const update = `UPDATE job_runs SET state = 'failed', error = ?, ended_ms = ? WHERE run_id = ? AND state = 'running'`
	res, err := h.exec(ctx, update, errNotBegun, h.now().UnixMilli(), runID)
	if err != nil {
		return false, fmt.Errorf("end run %s, which never began: %w", runID, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("end run %s, which never began: %w", runID, err)
	}
	return n > 0, nil
}

// giveUpLost marks the runs of a job as failed that have not ended long after their bound: their
// instance was killed.
func (h *history) giveUpLost(ctx context.Context, j *scheduled) error {
	now := h.now()
	const update = `UPDATE job_runs SET state = 'failed', error = ?, ended_ms = ? WHERE job = ? AND state = 'running' AND started_ms < ?`
	_, err := h.exec(ctx, update, errLost, now.UnixMilli(), j.Name, now.Add(-j.Within-lostAfter).UnixMilli())
	if err != nil {
		return fmt.Errorf("give up lost runs of %s: %w", j.Name, err)
	}
	return nil
}
