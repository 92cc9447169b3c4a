package seckill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
)

// repair mends the tokens first, since they decide what is placed and returning, and adds −drift.
// It says whether there was something to be mended.
func (u *Auditor) repair(ctx context.Context, tx *sqlx.Tx, acc *account, mend mending) (bool, error) {
	if mend == mendNothing {
		return false, nil
	}
	before, err := acc.audit(ctx, tx)
	if err != nil || (mend == mendOversell && !before.oversells()) {
		return false, err
	}
	restore := map[string]string{}
	for number, t := range acc.owed {
		if _, ok := acc.held[number]; !ok {
			restore[number] = t.String()
			acc.held[number] = t
		}
	}
	var drop []string
	for number := range acc.held {
		if !acc.keep[number] {
			drop = append(drop, number)
		}
	}
	slices.Sort(drop)
	audit, err := acc.audit(ctx, tx)
	if err != nil {
		return false, err
	}
	add := audit.correction(mend)
	u.log.WarnContext(ctx, "activity repaired", "activity_id", acc.activity.ID, "tokens_restored", len(restore), "tokens_dropped", len(drop), "stock_added", add)
	ok, err := u.lua.Repair(ctx, acc.activity.Lane, acc.activity.ID, acc.epoch, restore, drop, add)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, errNotLoaded
	}
	return true, nil
}

// oversells says whether some point would sell more than there is.
func (a *Audit) oversells() bool {
	return slices.ContainsFunc(a.Items, func(item AuditItem) bool { return item.Drift > 0 })
}

// correction is what has to be added to the stock fields. To mend what would oversell, nothing is
// put on sale at a point; the sku in all is made to fit its points, which are what bounds it.
func (a *Audit) correction(mend mending) map[string]int64 {
	add := map[string]int64{}
	mended := map[string]bool{}
	for _, item := range a.Items {
		if item.Drift > 0 || (item.Drift < 0 && mend == mendAll) {
			add[item.SKU] -= item.Drift
			add[stockField(item.SKU, item.Point)] -= item.Drift
			mended[item.SKU] = true
		}
	}
	for _, total := range a.Totals {
		if total.Drift != 0 && (mend == mendAll || mended[total.SKU]) {
			add[total.SKU] -= total.Drift
		}
	}
	return add
}

const (
	// auditPage is how many activities one run of the job looks at.
	auditPage = 50
	// maxDrifts bounds how many drifts an error names.
	maxDrifts = 5
)

// RunOnce audits the next activities that are loaded, and returns how many it repaired: those that
// would oversell. Other drift is the error: an operator decides.
func (u *Auditor) RunOnce(ctx context.Context) (repaired int, err error) {
	ids, err := u.next(ctx)
	if err != nil {
		return 0, err
	}
	var failed error
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		audit, mended, err := u.draw(ctx, id, mendOversell)
		switch {
		case errors.Is(err, errNotLoaded):
			continue
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("audit activity %s: %w", id, err))
			continue
		case mended:
			repaired++
		}
		if !audit.OK {
			drift := fmt.Errorf("activity %s drifts: %s", id, audit.drifts())
			u.log.WarnContext(ctx, "an activity drifts; repair it", "activity_id", id, "drifts", audit.drifts())
			failed = errors.Join(failed, drift)
		}
	}
	return repaired, failed
}

// next are the activities of one run, by their ids; after the last come the first again.
func (u *Auditor) next(ctx context.Context) ([]string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var ids []string
	const query = `SELECT activity_id FROM activities WHERE state <> 'draft' AND retired_ms = 0 AND activity_id > ?
		ORDER BY activity_id LIMIT ?`
	if err := u.db.Write.SelectContext(ctx, &ids, query, u.after, auditPage); err != nil {
		return nil, fmt.Errorf("select activities to audit: %w", err)
	}
	u.after = ""
	if len(ids) == auditPage {
		u.after = ids[len(ids)-1]
	}
	return ids, nil
}

// drifts names what is wrong.
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
	if len(wrong) > maxDrifts {
		wrong = append(wrong[:maxDrifts], "…")
	}
	return strings.Join(wrong, ", ")
}
