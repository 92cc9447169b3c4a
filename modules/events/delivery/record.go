package delivery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// changed reports whether there is anything to record.
func (r *round) changed() bool {
	due, count := r.pending()
	return r.outcome.attempts > 0 || r.outcome.gone > 0 || r.replay.next != r.replay.after ||
		r.fresh.next != r.fresh.after || due != r.e.DueMS || count != r.e.Waiting
}

// kept returns the items that have a row in deliveries after the round, in the order of their events.
func (r *round) kept() []*item {
	items := slices.Clone(r.retries)
	for _, b := range []batch{r.replay, r.fresh} {
		for _, it := range b.items {
			if it.row.Event <= b.next {
				items = append(items, it)
			}
		}
	}
	slices.SortFunc(items, func(a, b *item) int { return cmp.Compare(a.row.Event, b.row.Event) })
	return items
}

// pending returns when the next waiting event is due after the round (0: none waits), and how many wait.
func (r *round) pending() (due, count int64) {
	heads := map[string]bool{}
	for _, it := range r.kept() {
		row := &it.row
		if row.Status != waiting {
			continue
		}
		count++
		if row.Subject != "" && heads[row.Subject] {
			continue
		}
		heads[row.Subject] = true
		if at := max(row.NextMS, 1); due == 0 || at < due {
			due = at
		}
	}
	if r.recovered() && due > 0 {
		due = 1
	}
	return due, count
}

// record stores the outcome of a round in one transaction: the endpoint's cursors by compare-and-set, and the rows of
// deliveries. Without the lease, or if the endpoint was deleted, it stores nothing and returns errLost.
func (r *round) record(ctx context.Context) error {
	r.giveUp()
	r.pause()
	off := r.offReason()
	err := r.d.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := r.recordEndpoint(ctx, tx, off); err != nil {
			return err
		}
		if err := r.recordDeliveries(ctx, tx); err != nil {
			return err
		}
		return r.d.faults.after("recording")
	})
	if err != nil {
		return err
	}
	r.report(ctx, off)
	return nil
}

func (r *round) recordEndpoint(ctx context.Context, tx *sqlx.Tx, off string) error {
	e, o := &r.e, &r.outcome
	now := r.d.now()
	due, count := r.pending()
	attempted, succeeded := e.AttemptedMS, e.SucceededMS
	if o.attempts > 0 {
		attempted = now.UnixMilli()
	}
	if o.delivered > 0 {
		succeeded = now.UnixMilli()
	}
	// An operator who changed the endpoint meanwhile may have made something due.
	const update = `UPDATE endpoints SET after_id = ?, lease_until_ms = ?, attempted_ms = ?, succeeded_ms = ?,
		due_ms = CASE WHEN version = ? THEN ? ELSE 1 END,
		waiting = CASE WHEN version = ? THEN ? ELSE waiting END,
		failing_since_ms = CASE WHEN version = ? THEN ? ELSE failing_since_ms END
		WHERE endpoint_id = ? AND lease_owner = ? AND after_id = ?`
	n, err := exec(ctx, tx, update, r.fresh.next, now.Add(leaseFor).UnixMilli(), attempted, succeeded, e.Version, due,
		e.Version, count, e.Version, r.failingSince(), e.ID, r.d.instance, e.After)
	if err != nil {
		return fmt.Errorf("record deliveries to endpoint %s: %w", e.ID, err)
	}
	if n == 1 && r.replay.next != r.replay.after {
		n, err = exec(ctx, tx, `UPDATE endpoints SET replay_after = ? WHERE endpoint_id = ? AND replay_after = ?`,
			r.replay.next, e.ID, r.replay.after)
	}
	if err == nil && n == 1 && off != "" {
		_, err = exec(ctx, tx, `UPDATE endpoints SET enabled = 0, disabled_reason = ?, revision = revision + 1
			WHERE endpoint_id = ? AND version = ?`, off, e.ID, e.Version)
	}
	if err != nil {
		return fmt.Errorf("record deliveries to endpoint %s: %w", e.ID, err)
	}
	if n != 1 {
		onLost.Mark()
		return errLost
	}
	return nil
}

func (r *round) recordDeliveries(ctx context.Context, tx *sqlx.Tx) error {
	var replaced []int64
	var rows []any
	for _, it := range r.kept() {
		if it.source == retry && it.state != done {
			continue // its row is unchanged
		}
		if it.source != fresh {
			replaced = append(replaced, it.row.Event)
		}
		rows = deliveryColumns.AppendTo(rows, &it.row)
	}
	if len(replaced) > 0 {
		query := `DELETE FROM deliveries WHERE endpoint_id = ? AND event_id IN (` + sqldb.In(len(replaced)) + `)`
		if _, err := tx.ExecContext(ctx, query, append([]any{r.e.ID}, sqldb.Args(replaced)...)...); err != nil {
			return fmt.Errorf("replace %d deliveries to endpoint %s: %w", len(replaced), r.e.ID, err)
		}
	}
	if err := deliveryColumns.Insert(ctx, tx, "deliveries", rows); err != nil {
		return fmt.Errorf("insert deliveries to endpoint %s: %w", r.e.ID, err)
	}
	if !r.recovered() {
		return nil
	}
	onRecovered.Mark()
	const due = `UPDATE deliveries SET next_ms = ? WHERE endpoint_id = ? AND status = 'waiting' AND next_ms > ?`
	if _, err := exec(ctx, tx, due, r.startMS, r.e.ID, r.startMS); err != nil {
		return fmt.Errorf("make what waits for endpoint %s due: %w", r.e.ID, err)
	}
	return nil
}

// report logs once that an endpoint has failed for a day, and that it was switched off.
func (r *round) report(ctx context.Context, off string) {
	if off != "" {
		r.d.log.WarnContext(ctx, "an endpoint of events is switched off", "endpoint_id", r.e.ID, "reason", off)
		return
	}
	since := r.failingSince()
	if since == 0 || r.outcome.attempts == 0 {
		return
	}
	began := time.UnixMilli(since).UTC()
	shown := began.Add(shownAfter).UnixMilli()
	if r.startMS >= shown && r.e.AttemptedMS < shown {
		r.d.log.WarnContext(ctx, "an endpoint of events has failed for a day", "endpoint_id", r.e.ID,
			"failing_since", began)
	}
}
