package inventory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"onrush/modules/loop"
	"onrush/modules/sqldb"
)

const (
	// auditPage is how many activities one run of the job audits.
	auditPage = 50
	// maxDrifts bounds how many drifts an error names.
	maxDrifts = 5
	// compareEvery is the minimum time between two comparisons of holds and counts of a large sale by the
	// job; after a repair that proved nothing, it is compareAgain.
	compareEvery = time.Hour
	compareAgain = 5 * time.Minute
)

// RunOnce audits the next activities that are loaded, makes the repairs that are proven, and returns how many
// activities it repaired. Surplus units, which would be sold twice, are removed at once. The rest, such as what a
// failover of Redis lost, is repaired if a second account agrees; see repairProven. What remains is the error: an
// operator decides on it.
func (au *Auditor) RunOnce(ctx context.Context) (repaired int, err error) {
	ids, err := au.next(ctx)
	if err != nil {
		return 0, err
	}
	var failed error
	var wrong []suspect
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
		if mended || audit.wrong() {
			wrong = append(wrong, suspect{id, audit, mended})
		}
	}
	if len(wrong) == 0 {
		return repaired, failed
	}
	if err := loop.Wait(ctx, au.cfg.AgreeAfter); err != nil { // what was under way at the first account arrives
		return repaired, errors.Join(failed, err)
	}
	for _, s := range wrong {
		mended, err := au.repairProven(ctx, s)
		if mended && !s.mended {
			repaired++
		}
		failed = errors.Join(failed, err)
	}
	return repaired, failed
}

// suspect is an activity of which something is wrong.
type suspect struct {
	id     string
	audit  *Audit // the first account
	mended bool   // units too many were removed
}

// repairProven repairs what a failover of Redis can lose, whichever way: holds, counts, and units. It returns an error
// that says what it could not repair.
//
// A wrong hold or count is proven by itself, behind the fence: SQL decides which orders hold units, and who bought how
// many. Units that are nowhere are proven by two accounts. An account shows one moment. It includes everything on its
// way between the stores (orders in queues, dead entries, pending returns and stock changes), so its sum stays the same
// whatever happens to orders and stock, and changes only if a store forgets something. The second account is taken
// after the holds were compared: a return or confirm of a former master that arrives now finds no hold, so that nothing
// comes back twice. The second account must lack the same units as the first: otherwise the first one missed something
// that was on its way. And each order must be readable, since an unreadable order might have taken the units. Units are
// added, never set, and only by one of the audits that found the same drift.
func (au *Auditor) repairProven(ctx context.Context, s suspect) (mended bool, err error) {
	if !s.audit.Compared && au.wasUnproven(s.id) {
		return false, s.audit.drift(s.id)
	}
	audit, mended, err := au.audit(ctx, s.id, job{compare: always, mend: mendProven, agrees: s.audit})
	switch {
	case errors.Is(err, errNotLoaded):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("repair activity %s: %w", s.id, err)
	}
	au.rememberDrift(s.id, audit)
	if mended {
		if err := au.recordRepair(ctx, s.id, s.audit, audit); err != nil {
			return true, err
		}
	}
	if !audit.wrong() {
		return mended, nil
	}
	onUnproven.Mark()
	au.rememberUnproven(s.id)
	au.log.WarnContext(ctx, "an activity drifts; repair it", "activity_id", s.id, "drifts", audit.drifts())
	return mended, audit.drift(s.id)
}

// wrong reports whether a repair has something to do.
func (a *Audit) wrong() bool { return !a.OK || a.HoldsMissing+a.HoldsStale+a.PaidWrong > 0 }

// drift returns the error that describes the drift.
func (a *Audit) drift(id string) error { return fmt.Errorf("activity %s drifts: %s", id, a.drifts()) }

// wasUnproven reports whether a repair has proven nothing a short time ago.
func (au *Auditor) wasUnproven(id string) bool {
	au.mu.Lock()
	defer au.mu.Unlock()
	at, known := au.unproven[id]
	return known && au.now().Sub(at) < compareAgain
}

func (au *Auditor) rememberUnproven(id string) {
	au.mu.Lock()
	defer au.mu.Unlock()
	if len(au.unproven) >= maxRemembered {
		clear(au.unproven)
	}
	au.unproven[id] = au.now()
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
		{a.PaidWrong, "counts of units paid are wrong"},
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
