package inventory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"onrush/modules/sqldb"
)

const (
	// auditPage is how many activities one run of the job audits.
	auditPage = 50
	// maxDrifts bounds how many drifts an error names.
	maxDrifts = 5
	// compareEvery is the minimum time between two comparisons of holds and counts of a large sale by the
	// job.
	compareEvery = time.Hour
)

// RunOnce audits the next activities that are loaded, repairs those that would oversell, and returns how
// many it repaired. It reports other drift, and wrong holds and counts, as the error: an operator decides
// on them.
func (au *Auditor) RunOnce(ctx context.Context) (repaired int, err error) {
	ids, err := au.next(ctx)
	if err != nil {
		return 0, err
	}
	var failed error
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		if au.db.Busy.Skips(sqldb.StockOf(id)) {
			continue
		}
		audit, mended, err := au.audit(ctx, id, job{compare: au.due(id), mend: mendOversell})
		au.db.Busy.Note(sqldb.StockOf(id), err)
		switch {
		case errors.Is(err, errNotLoaded):
			continue
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("audit activity %s: %w", id, err))
			continue
		case mended:
			repaired++
		}
		au.rememberDrift(id, audit)
		if audit.Compared {
			au.rememberCompared(id)
		}
		if !audit.OK || audit.HoldsMissing > 0 {
			drift := fmt.Errorf("activity %s drifts: %s", id, audit.drifts())
			au.log.WarnContext(ctx, "an activity drifts; repair it", "activity_id", id, "drifts", audit.drifts())
			failed = errors.Join(failed, drift)
		}
	}
	return repaired, failed
}

// due returns always if this run must compare holds and counts even if the sale is large: compareEvery has
// passed since the last time. An instance that has just started waits for that time too, so that instances
// that start together don't all compare at once.
func (au *Auditor) due(id string) comparing {
	au.mu.Lock()
	defer au.mu.Unlock()
	last, known := au.compared[id]
	if !known {
		if len(au.compared) >= maxRemembered {
			clear(au.compared)
		}
		au.compared[id] = au.now()
	}
	if known && au.now().Sub(last) >= compareEvery {
		return always
	}
	return ifSmall
}

func (au *Auditor) rememberCompared(id string) {
	au.mu.Lock()
	defer au.mu.Unlock()
	au.compared[id] = au.now()
}

// next returns the activities of one run, in order of their ids; after the last it starts over.
func (au *Auditor) next(ctx context.Context) ([]string, error) {
	au.mu.Lock()
	defer au.mu.Unlock()
	var ids []string
	const query = `SELECT activity_id FROM activities WHERE state <> 'draft' AND retired_ms = 0 AND activity_id > ?
		ORDER BY activity_id LIMIT ?`
	if err := au.db.Write.SelectContext(ctx, &ids, query, au.after, auditPage); err != nil {
		return nil, fmt.Errorf("select activities to audit: %w", err)
	}
	au.after = ""
	if len(ids) == auditPage {
		au.after = ids[len(ids)-1]
	}
	return ids, nil
}

// drifts describes the differences, at most maxDrifts of them.
func (a *Audit) drifts() string {
	var wrong []string
	for _, item := range a.Items {
		if item.Drift != 0 {
			wrong = append(wrong, fmt.Sprintf("%s at %s by %d", item.SKU, item.Point, item.Drift))
		}
	}
	for _, total := range a.Totals {
		if total.Drift != 0 {
			wrong = append(wrong, fmt.Sprintf("%s in all by %d", total.SKU, total.Drift))
		}
	}
	for _, found := range []struct {
		n    int64
		what string
	}{
		{a.HoldsMissing, "holds are missing"},
		{a.HoldsStale, "holds are stale"},
		{a.BoughtWrong, "counts of buyers are wrong"},
		{a.ChangesStuck, "stock changes are pending for more than a minute"},
	} {
		if found.n != 0 {
			wrong = append(wrong, fmt.Sprintf("%d %s", found.n, found.what))
		}
	}
	if len(wrong) > maxDrifts {
		wrong = append(wrong[:maxDrifts], "…")
	}
	return strings.Join(wrong, ", ")
}
