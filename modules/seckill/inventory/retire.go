package inventory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// Retirer removes the Redis keys of activities that ended some time ago, so that Redis doesn't grow without
// limit. After that, replays and tasks are answered from SQL.
type Retirer struct {
	cfg    RetireConfig
	db     *sqldb.DB
	lua    *lua.Scripts
	clock  *clock.Clock
	log    *slog.Logger
	faults order.Faults

	// The next run resumes after this activity, so that activities that can't be retired don't block the
	// others.
	lastMS int64
	lastID string
}

// NewRetirer returns a Retirer.
func NewRetirer(cfg RetireConfig, d Deps) *Retirer {
	return &Retirer{cfg: cfg.withDefaults(), db: d.DB, lua: d.Lua, clock: d.Clock, log: d.Log, faults: d.Faults}
}

// RunOnce retires the activities that ended long enough ago and have nothing in Redis that SQL lacks, and
// returns how many. It retries the others in a later run.
func (r *Retirer) RunOnce(ctx context.Context) (retired int, err error) {
	if err := r.clock.Sync(ctx); err != nil {
		return 0, err
	}
	page, err := r.next(ctx)
	if err != nil {
		return 0, err
	}
	var failed error
	for _, a := range page {
		if ctx.Err() != nil {
			return retired, failed
		}
		r.lastMS, r.lastID = a.EndsMS, a.ID
		if r.db.Busy.Skips(sqldb.StockOf(a.ID)) {
			continue
		}
		done, err := r.retire(ctx, a.ID)
		r.db.Busy.Note(sqldb.StockOf(a.ID), err)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("retire activity %s: %w", a.ID, err))
		}
		if done {
			retired++
		}
	}
	if len(page) < r.cfg.Page {
		r.lastMS, r.lastID = 0, ""
	}
	return retired, failed
}

// ended is an activity that may be retired.
type ended struct {
	ID     string `db:"activity_id"`
	EndsMS int64  `db:"ends_ms"`
}

// next returns the activities that this run checks.
func (r *Retirer) next(ctx context.Context) (page []ended, err error) {
	const query = `SELECT activity_id, ends_ms FROM activities
		WHERE state <> 'draft' AND retired_ms = 0 AND ends_ms <= ?
		AND (ends_ms > ? OR (ends_ms = ? AND activity_id > ?)) ORDER BY ends_ms, activity_id LIMIT ?`
	before := r.clock.NowMS() - max(r.cfg.After, 0).Milliseconds() // not even a negative After retires a running sale
	if err := r.db.Write.SelectContext(ctx, &page, query, before, r.lastMS, r.lastMS, r.lastID,
		r.cfg.Page); err != nil {
		return nil, fmt.Errorf("select activities to retire: %w", err)
	}
	return page, nil
}

// retire closes an activity, so that nothing more is placed, checks that nothing is unfinished, in SQL behind
// the fence, and removes the keys before it marks the activity as retired in SQL. If a crash interrupts it,
// the next run completes it.
func (r *Retirer) retire(ctx context.Context, id string) (done bool, err error) {
	a, err := seckill.ViewActivity(ctx, r.db, id)
	if err != nil || a == nil {
		return false, err
	}
	if _, err := r.lua.SetState(ctx, a.Lane, id, lua.StateClosed); err != nil {
		return false, err
	}
	if err := r.faults.After("retire_close"); err != nil {
		return false, err
	}
	// The queue may be long, so it is read before the fence: no more entries of the sale are added to it.
	if waits, err := r.waits(ctx, a); err != nil || waits {
		return false, err
	}
	err = r.db.InTx(ctx, func(tx *sqlx.Tx) error {
		done = false
		if err := order.Fence(ctx, tx, id); err != nil {
			return err
		}
		left, err := r.left(ctx, tx, a)
		if err != nil || left {
			return err
		}
		skus := make([]string, len(a.SKUs))
		for i, g := range a.SKUs {
			skus[i] = g.SKU
		}
		gone, err := r.lua.Retire(ctx, a.Lane, id, skus)
		if err != nil || !gone {
			return err
		}
		if err := r.lua.DropSale(ctx, id); err != nil {
			return err
		}
		if err := r.faults.After("retire_keys"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE activities SET retired_ms = ?
			WHERE activity_id = ? AND retired_ms = 0`, r.clock.NowMS(), id); err != nil {
			return fmt.Errorf("mark activity %s as retired: %w", id, err)
		}
		done = true
		return nil
	})
	if err != nil {
		return false, err
	}
	if done {
		r.log.InfoContext(ctx, "activity retired", "activity_id", id)
	}
	return done, nil
}

// waits reports whether an entry of the activity is in its lane's queue or among the dead entries. The dead
// entries are read before the queue and after it, since an entry may move from one to the other and back.
func (r *Retirer) waits(ctx context.Context, a *seckill.Activity) (bool, error) {
	found := func([]order.Entry) error { return errWaits }
	for _, search := range [...]func(context.Context, *lua.Scripts, int, string, func([]order.Entry) error) error{
		queue.EachDead, queue.EachQueued, queue.EachDead,
	} {
		err := search(ctx, r.lua, a.Lane, a.ID, found)
		if errors.Is(err, errWaits) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// errWaits says that an entry was found; it ends the search.
var errWaits = errors.New("an entry is waiting")

// left reports whether SQL has unpaid orders or pending outbox rows of the activity.
func (r *Retirer) left(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity) (bool, error) {
	// The orders are read first: the fence doesn't stop payments, and an order that is paid between the two
	// queries has a pending row.
	for _, query := range []string{
		`SELECT COUNT(*) FROM (SELECT 1 FROM orders WHERE activity_id = ? AND status = 'unpaid' LIMIT 1) AS unpaid`,
		`SELECT COUNT(*) FROM (SELECT 1 FROM stock_outbox WHERE activity_id = ?
			AND state = 'pending' LIMIT 1) AS pending`,
	} {
		var n int
		if err := tx.GetContext(ctx, &n, query, a.ID); err != nil {
			return false, fmt.Errorf("count unfinished rows of activity %s: %w", a.ID, err)
		}
		if n > 0 {
			return true, nil
		}
	}
	return false, nil
}
