package draw

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/seckill"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/sqldb"
)

const (
	// listAtOnce is how many entries one transaction puts into the waiting list.
	listAtOnce = 500
	// listAhead is up to how many entries wait for units of a sku at a point. The Offerer runs as often as the Drawer,
	// so that as many can be drawn in each second.
	listAhead = 2000
	// listPerRun is about how many entries a run puts into waiting lists, since the lists of all sales wait for it.
	listPerRun = 20_000
)

// Drawer closes the entries of draws when their sales start, and puts them into the waiting lists in the order of their
// lots. Several may run at once.
type Drawer struct {
	Deps
	after  string             // the next run lists entries of draws after this activity
	unread map[string][]place // where there may be entries that aren't listed, by activity; closed draws get no more
	perRun int                // listPerRun
}

// place is a sku at a stock point.
type place struct {
	SKU   string `db:"sku_id"`
	Point string `db:"point_id"`
}

// NewDrawer returns a Drawer.
func NewDrawer(d Deps) *Drawer {
	return &Drawer{Deps: d, unread: map[string][]place{}, perRun: listPerRun}
}

// RunOnce serves the draws whose sales have started, and returns how many entries it put into waiting lists.
func (d *Drawer) RunOnce(ctx context.Context) (listed int, err error) {
	if err := d.Clock.Sync(ctx); err != nil {
		return 0, err
	}
	now := d.Clock.NowMS()
	var due []string
	const query = `SELECT a.activity_id FROM draws d JOIN activities a ON a.activity_id = d.activity_id
		WHERE a.state = 'published' AND a.starts_ms <= ? AND (d.closed_ms = 0 OR a.ends_ms > ?) ORDER BY a.activity_id`
	if err := d.DB.Read.SelectContext(ctx, &due, query, now, now); err != nil {
		return 0, fmt.Errorf("select the draws: %w", err)
	}
	maps.DeleteFunc(d.unread, func(id string, _ []place) bool { return !slices.Contains(due, id) })
	next, _ := slices.BinarySearch(due, d.after+"\x00")
	var failed error
	for _, id := range slices.Concat(due[next:], due[:next]) {
		if ctx.Err() != nil || listed >= d.perRun {
			return listed, failed
		}
		d.after = id
		n, err := d.Serve(ctx, id)
		listed += n
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("serve the draw of %s: %w", id, err))
		}
	}
	return listed, failed
}

// Serve serves the draw of one sale, which has started. An error at a stock point doesn't keep it from the others.
func (d *Drawer) Serve(ctx context.Context, activity string) (listed int, err error) {
	a, err := seckill.ViewActivity(ctx, d.DB, activity)
	if err != nil || a == nil {
		return 0, err
	}
	closed, err := d.close(ctx, a.ID)
	if err != nil || !closed {
		return 0, err
	}
	if err := d.Faults.After("draw_closed"); err != nil {
		return 0, err
	}
	if a.EndsMS <= d.Clock.NowMS() {
		return 0, nil
	}
	places, err := d.places(ctx, a.ID)
	if err != nil || len(places) == 0 {
		return 0, err
	}
	waits, err := d.waiting(ctx, a.ID)
	if err != nil {
		return 0, err
	}
	var left []place
	var failed error
	for i, p := range places {
		if listed >= d.perRun { // these come first in the next run
			left = append(slices.Clone(places[i:]), left...)
			break
		}
		more := true
		for n := waits[p]; n < listAhead && more; {
			added, err := d.list(ctx, a.ID, p)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("sku %s at %s: %w", p.SKU, p.Point, err))
				break
			}
			n, listed = n+added, listed+added
			more = added == listAtOnce
		}
		if more {
			left = append(left, p)
		}
	}
	d.unread[a.ID] = left
	return listed, failed
}

// close closes the entries of a sale that has started, once, and reports whether they are closed. Nobody opens them
// again: the seed is known from now on. An operator who moves the start holds the lock of the activity.
func (d *Drawer) close(ctx context.Context, activity string) (closed bool, err error) {
	is, err := find(ctx, d.DB.Read, activity)
	if err != nil || is == nil || is.ClosedMS > 0 {
		return is != nil, err
	}
	err = d.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		const lock = `UPDATE activities SET applied = applied WHERE activity_id = ?`
		if _, err := tx.ExecContext(ctx, lock, activity); err != nil {
			return fmt.Errorf("lock activity %s: %w", activity, err)
		}
		now := d.Clock.NowMS()
		const started = `SELECT COUNT(*) > 0 FROM activities
			WHERE activity_id = ? AND state = 'published' AND starts_ms <= ?`
		if err := tx.GetContext(ctx, &closed, started, activity, now); err != nil || !closed {
			return err
		}
		const update = `UPDATE draws SET closed_ms = ? WHERE activity_id = ? AND closed_ms = 0`
		if _, err := tx.ExecContext(ctx, update, now, activity); err != nil {
			return fmt.Errorf("close the entries: %w", err)
		}
		return nil
	})
	return closed, err
}

// places returns where there may be entries that aren't listed.
func (d *Drawer) places(ctx context.Context, activity string) (places []place, err error) {
	if places, known := d.unread[activity]; known {
		return places, nil
	}
	return unlisted(ctx, d.DB.Read, activity)
}

// waiting counts the entries that the waiting list of an activity has.
func (d *Drawer) waiting(ctx context.Context, activity string) (map[place]int, error) {
	var counts []struct {
		place
		N int `db:"n"`
	}
	const query = `SELECT sku_id, point_id, COUNT(*) AS n FROM waitlist
		WHERE activity_id = ? AND until_ms = 0 GROUP BY sku_id, point_id`
	if err := d.DB.Read.SelectContext(ctx, &counts, query, activity); err != nil {
		return nil, fmt.Errorf("count who waits: %w", err)
	}
	waits := make(map[place]int, len(counts))
	for _, c := range counts {
		waits[c.place] = c.N
	}
	return waits, nil
}

// list puts the next entries for a sku at a point into the waiting list, behind those that it has, and returns how many
// it read. A user who has an entry there doesn't get another.
func (d *Drawer) list(ctx context.Context, activity string, p place) (read int, err error) {
	err = d.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		read = 0
		is, err := lock(ctx, tx, activity)
		if err != nil || is == nil || is.ClosedMS == 0 {
			return err
		}
		next, err := nextUnlisted(ctx, tx, activity, p)
		if err != nil {
			return err
		}
		if len(next) == 0 {
			return nil
		}
		lots, users := make([]string, len(next)), make([]string, len(next))
		for i := range next {
			lots[i], users[i] = next[i].Lot, next[i].User
		}
		have, err := waitlist.UsersOf(ctx, tx, activity, p.SKU, users)
		if err != nil {
			return err
		}
		var waits []waitlist.Entry
		for i := range next {
			if e := &next[i]; !have[e.User] {
				have[e.User] = true
				waits = append(waits, e.waits(is.ClosedMS+is.Listed+int64(i)))
			}
		}
		if err := waitlist.Insert(ctx, tx, waits...); err != nil {
			return err
		}
		update := `UPDATE draw_entries SET listed = 1 WHERE activity_id = ? AND sku_id = ? AND lot IN (` +
			sqldb.In(len(lots)) + `)`
		if _, err := tx.ExecContext(ctx, update, append([]any{activity, p.SKU}, sqldb.Args(lots)...)...); err != nil {
			return fmt.Errorf("note which entries are listed: %w", err)
		}
		read = len(next)
		return count(ctx, tx, activity, "listed", read)
	})
	if err != nil {
		return 0, err
	}
	return read, d.Faults.After("draw_listed")
}

// DeleteOld deletes the draws of retired sales, each after its entries, and returns how many rows it deleted.
func (d *Drawer) DeleteOld(ctx context.Context) (deleted int, err error) {
	const retired = `activity_id IN (SELECT activity_id FROM activities WHERE retired_ms > 0)`
	var ids []string
	if err := d.DB.Read.SelectContext(ctx, &ids, `SELECT activity_id FROM draws WHERE `+retired); err != nil {
		return 0, fmt.Errorf("select the draws of retired sales: %w", err)
	}
	for _, id := range ids {
		const where = `activity_id = ?`
		for _, e := range []sqldb.Expiry{
			{Table: "draw_entries", Key: []string{"sku_id", "lot"}, Where: where, Args: []any{id}},
			{
				Table: "draws", Key: []string{"activity_id"}, Args: []any{id, id},
				Where: where + ` AND NOT EXISTS (SELECT 1 FROM draw_entries WHERE activity_id = ?)`,
			},
		} {
			n, err := d.DB.Expire(ctx, e)
			if deleted += n; err != nil {
				return deleted, err
			}
		}
	}
	return deleted, nil
}
