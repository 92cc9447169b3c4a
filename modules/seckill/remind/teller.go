package remind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

const (
	// Before is how long before the start of a sale its reminders are told.
	Before = 5 * time.Minute
	// openFor is how old the counts may be that say whether units are open.
	openFor = time.Second
	// UsersPerUnit bounds how many buyers are told at once of units, for each that is open: not all of them buy.
	UsersPerUnit = 10
	// Rest is how long nobody else is told of units of the same sku, since those who were need seconds to buy them.
	Rest = 5 * time.Second
	// pagesPerRun bounds the pages that a run tells, of MaxUsers each, so that the events of a large sale leave room
	// for others. Each instance has runs of its own.
	pagesPerRun = 20
	// salesPerRun bounds the sales that a run looks at; the next run resumes after the last one.
	salesPerRun = 200
)

// Teller tells reminders that are due. Several may run at once.
type Teller struct {
	Deps
	after string // the next run resumes after this activity
}

// NewTeller returns a Teller.
func NewTeller(d Deps) *Teller { return &Teller{Deps: d} }

// RunOnce tells reminders of sales that are published, not paused and not over, and returns how many. Sales with many
// take turns.
func (t *Teller) RunOnce(ctx context.Context) (told int, err error) {
	if err := t.Clock.Sync(ctx); err != nil {
		return 0, err
	}
	due, last, failed := t.due(ctx)
	t.after = last
	for left, first := pagesPerRun, true; len(due) > 0; first = false {
		more := due[:0]
		for _, w := range due {
			if left == 0 || ctx.Err() != nil {
				return told, failed
			}
			if first {
				t.after = w.a.ID // if the run ends here, the next one begins with the others
			}
			n, full, err := t.page(ctx, w)
			if told += n; n > 0 || full {
				left--
			}
			if err != nil { // one sale doesn't hold up the others
				failed = errors.Join(failed, fmt.Errorf("tell reminders of %s: %w", w.a.ID, err))
			} else if full {
				more = append(more, w)
			}
		}
		due, t.after = more, last
	}
	return told, failed
}

// waiting is reminders of one sale that may be told together.
type waiting struct {
	a    *seckill.Activity
	kind Kind
	sku  string
}

// beforeMS bounds told_ms: a reminder is due while its told_ms is below.
func (w *waiting) beforeMS() int64 {
	if w.kind == Start {
		return w.a.StartsMS - Before.Milliseconds()
	}
	return 1
}

// mayBeDue selects sales whose reminders may be due. Each takes a look into the index, however many were told: MySQL
// would sort the reminders of a sale if the order named told_ms alone.
const mayBeDue = `SELECT activity_id FROM activities WHERE state = 'published' AND paused_ms = 0
	AND starts_ms <= ? AND ends_ms > ? AND activity_id > ? AND (
		(SELECT r.told_ms FROM reminders r WHERE r.activity_id = activities.activity_id AND r.kind = 'start'
			ORDER BY r.activity_id, r.kind, r.told_ms LIMIT 1) < activities.starts_ms - ?
		OR starts_ms <= ? AND EXISTS (SELECT 1 FROM reminders r WHERE r.activity_id = activities.activity_id
			AND r.kind = 'units' AND r.told_ms = 0))
	ORDER BY activity_id LIMIT ?`

// due returns what waits and is due in the next sales, and the last of these; "" if none come after them.
func (t *Teller) due(ctx context.Context) (due []*waiting, last string, err error) {
	var ids []string
	now, before := t.Clock.NowMS(), Before.Milliseconds()
	if err := t.DB.Read.SelectContext(ctx, &ids, mayBeDue, now+before, now, t.after, before, now,
		salesPerRun); err != nil {
		return nil, "", fmt.Errorf("select sales whose reminders may be due: %w", err)
	}
	var failed error
	for _, id := range ids {
		of, err := t.dueIn(ctx, id, now)
		due = append(due, of...)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("read what reminders of %s are due: %w", id, err))
		}
	}
	if len(ids) == salesPerRun {
		last = ids[len(ids)-1]
	}
	return due, last, failed
}

// dueIn returns the reminders that are due in one sale.
func (t *Teller) dueIn(ctx context.Context, activity string, nowMS int64) (due []*waiting, err error) {
	a, err := t.Activities.Get(ctx, activity)
	if err != nil {
		if problem.CodeOf(err) == problem.CodeNotFound { // the copy is older than the sale
			err = nil
		}
		return nil, err
	}
	if a.State != seckill.Published || a.PausedMS > 0 || nowMS >= a.EndsMS {
		return nil, nil
	}
	if nowMS >= a.StartsMS-Before.Milliseconds() {
		due = append(due, &waiting{a: a, kind: Start})
	}
	if nowMS < a.StartsMS {
		return due, nil
	}
	skus, err := t.waited(ctx, activity)
	for _, sku := range skus {
		due = append(due, &waiting{a: a, kind: Units, sku: sku})
	}
	return due, err
}

// waited returns the skus of whose units reminders wait. Each takes one look into the index, however many wait for it.
func (t *Teller) waited(ctx context.Context, activity string) (skus []string, err error) {
	for after := ">= ''"; ; after = "> ?" {
		args := []any{activity}
		if len(skus) > 0 {
			args = append(args, skus[len(skus)-1])
		}
		var next []string
		query := `SELECT sku_id FROM reminders WHERE activity_id = ? AND kind = 'units' AND told_ms = 0
			AND sku_id ` + after + ` ORDER BY sku_id LIMIT 1`
		if err := t.DB.Read.SelectContext(ctx, &next, query, args...); err != nil || len(next) == 0 {
			return skus, err
		}
		skus = append(skus, next[0])
	}
}

// open returns how many of the units that are waited for are open to everybody: none of a draw. Where that isn't known,
// none are.
func (t *Teller) open(ctx context.Context, w *waiting) (units int64) {
	if w.a.Draws() {
		return 0
	}
	for i := range w.a.SKUs {
		g := &w.a.SKUs[i]
		if w.sku != "" && w.sku != g.SKU {
			continue
		}
		if open, known := t.Counts.Open(ctx, w.a, g, openFor, t.Clock.NowMS()); known {
			units += open
		}
	}
	return units
}

// page tells the next reminders, those that were made first, and reports whether this run may tell more. What changed
// meanwhile is left to the next run.
func (t *Teller) page(ctx context.Context, w *waiting) (told int, full bool, err error) {
	ids, err := t.next(ctx, w)
	if err != nil || len(ids) == 0 {
		return 0, false, err
	}
	if err := t.Faults.After("reminders_read"); err != nil {
		return 0, false, err
	}
	if w.kind == Units { // an instance that told others after ids were read told some of these too: see tell
		if rests, err := t.rests(ctx, w); err != nil || rests {
			return 0, false, err
		}
	}
	err = t.DB.InTx(ctx, func(tx *sqlx.Tx) error { return t.tell(ctx, tx, w, ids) })
	switch {
	case errors.Is(err, errChanged):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	return len(ids), w.kind == Start && len(ids) == MaxUsers, t.Faults.After("reminders_told")
}

// next returns the reminders that are told next.
func (t *Teller) next(ctx context.Context, w *waiting) (ids []string, err error) {
	query := `SELECT reminder_id FROM reminders WHERE activity_id = ? AND kind = 'start' AND told_ms < ?
		ORDER BY told_ms, sku_id, created_ms LIMIT ?`
	args := []any{w.a.ID, w.beforeMS(), MaxUsers}
	if w.kind == Units {
		units := t.open(ctx, w)
		if units == 0 {
			return nil, nil
		}
		query = `SELECT reminder_id FROM reminders WHERE activity_id = ? AND kind = 'units' AND told_ms = 0
			AND sku_id = ? ORDER BY created_ms LIMIT ?`
		args = []any{w.a.ID, w.sku, UsersPerUnit * min(units, MaxUsers/UsersPerUnit)}
	}
	err = t.DB.Read.SelectContext(ctx, &ids, query, args...)
	return ids, err
}

// rests reports whether buyers were told of units of a sku a moment ago, by any instance.
func (t *Teller) rests(ctx context.Context, w *waiting) (bool, error) {
	const query = `SELECT reminder_id FROM reminders WHERE activity_id = ? AND kind = 'units' AND told_ms > ?
		AND told_ms < ? AND sku_id = ? LIMIT 1`
	now, rest := t.Clock.NowMS(), Rest.Milliseconds()
	var told []string
	err := t.DB.Read.SelectContext(ctx, &told, query, w.a.ID, now-rest, now+rest, w.sku) // clocks differ a little
	return len(told) > 0, err
}

// tell marks reminders as told and writes their events.
func (t *Teller) tell(ctx context.Context, tx *sqlx.Tx, w *waiting, ids []string) error {
	now := t.Clock.NowMS()
	due, toldMS := Due{Kind: w.kind, Activity: w.a.ID, SKU: w.sku}, now
	if w.kind == Start {
		due.StartsAt, toldMS = api.Millis(w.a.StartsMS), w.a.StartsMS
	}
	in := ` WHERE reminder_id IN (` + sqldb.In(len(ids)) + `)`
	res, err := tx.ExecContext(ctx, `UPDATE reminders SET told_ms = ?`+in+` AND told_ms < ?`,
		append(append([]any{toldMS}, sqldb.Args(ids)...), w.beforeMS())...)
	if err != nil {
		return fmt.Errorf("mark reminders as told: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n != int64(len(ids)) {
		return errors.Join(err, errChanged)
	}
	var users []User // with the tokens of now
	if err := tx.SelectContext(ctx, &users, `SELECT user_id, notify_token FROM reminders`+in+` ORDER BY created_ms`,
		sqldb.Args(ids)...); err != nil {
		return fmt.Errorf("read who is told: %w", err)
	}
	if err := t.Faults.After("reminders_marked"); err != nil {
		return err
	}
	return writeEvents(ctx, tx, due, ids, users, now)
}
