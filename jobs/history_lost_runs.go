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

// endLost marks the runs of a job as failed that have not ended long after their bound: their instance was
// killed, or they were refused and SQL inserted their rows late.
func (h *history) endLost(ctx context.Context, j *scheduled) error {
	now := h.now()
	const update = `UPDATE job_runs SET state = 'failed', error = ?, ended_ms = ?
		WHERE job = ? AND state = 'running' AND started_ms < ?`
	lost, err := h.exec(ctx, update, lostMessage, now.UnixMilli(), j.Name, now.Add(-j.Within-lostAfter).UnixMilli())
	if lost > 0 {
		onLostRun.Mark()
	}
	if err != nil {
		return fmt.Errorf("end lost runs of %s: %w", j.Name, err)
	}
	return nil
}
