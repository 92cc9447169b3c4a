package inventory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// Retirer lets the Redis keys of activities go that ended some time ago, so that Redis doesn't
// grow for ever. After that, replays and tasks are answered from SQL.
type Retirer struct {
	cfg    RetireConfig
	db     *sqldb.DB
	lua    *lua.Scripts
	clock  *order.Clock
	log    *slog.Logger
	faults order.Faults

	// The next run goes on behind this activity: those that can't be retired don't keep the others
	// waiting.
	lastMS int64
	lastID string
}

// RetireConfig bounds the retiring of activities.
type RetireConfig struct {
	// After is how long an activity's keys stay after its end. Default 24 hours.
	After time.Duration
	// Page is how many activities one run looks at. Default 200.
	Page int
}

// NewRetirer makes a retirer.
func NewRetirer(cfg RetireConfig, p order.Parts, clock *order.Clock) *Retirer {
	if cfg.After == 0 {
		cfg.After = preheatAfterEnd
	}
	if cfg.Page == 0 {
		cfg.Page = 200
	}
	return &Retirer{cfg: cfg, db: p.DB, lua: p.Lua, clock: clock, log: p.Log, faults: p.Faults}
}

// RunOnce retires the activities that ended long enough ago and have nothing in Redis that SQL
// lacks, and returns how many. The others wait for the next run.
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
		done, err := r.retire(ctx, a.ID)
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

// next selects the activities that this run looks at.
func (r *Retirer) next(ctx context.Context) (page []ended, err error) {
	const query = `SELECT activity_id, ends_ms FROM activities WHERE state <> 'draft' AND retired_ms = 0 AND ends_ms <= ?
		AND (ends_ms > ? OR (ends_ms = ? AND activity_id > ?)) ORDER BY ends_ms, activity_id LIMIT ?`
	before := r.clock.NowMS() - max(r.cfg.After, 0).Milliseconds() // whatever After is: a sale that runs isn't retired
	if err := r.db.Write.SelectContext(ctx, &page, query, before, r.lastMS, r.lastMS, r.lastID, r.cfg.Page); err != nil {
		return nil, fmt.Errorf("select activities to retire: %w", err)
	}
	return page, nil
}

// one retires an activity: it closes it, so that nothing more is placed, looks whether
// something is left, at last behind the fence, and lets the keys go before SQL says so. A crash in between is mended
// by the next run.
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
	// Before the fence, since the queue may be long: nothing more of the sale comes into it.
	if waits, err := r.waits(ctx, a); err != nil || waits {
		return false, err
	}
	err = r.db.InTx(ctx, func(tx *sqlx.Tx) error {
		done = false
		if err := seckill.Fence(ctx, tx, id); err != nil {
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
		if _, err := tx.ExecContext(ctx, `UPDATE activities SET retired_ms = ? WHERE activity_id = ? AND retired_ms = 0`, r.clock.NowMS(), id); err != nil {
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

// waits says whether an entry of the activity is in its lane's queue or among the dead. The dead are
// read before the queue and after it: an entry goes from one to the other, and back.
func (r *Retirer) waits(ctx context.Context, a *seckill.Activity) (bool, error) {
	found := func([]order.Entry) error { return errWaits }
	for _, look := range [...]func(context.Context, *lua.Scripts, int, string, func([]order.Entry) error) error{
		order.EachDead, order.EachQueued, order.EachDead,
	} {
		err := look(ctx, r.lua, a.Lane, a.ID, found)
		if errors.Is(err, errWaits) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// errWaits says that an entry waits; it ends the search.
var errWaits = errors.New("an entry waits")

// left says whether SQL has something undecided about the activity.
func (r *Retirer) left(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity) (bool, error) {
	// The orders first: paying doesn't pass the fence, and one that is paid in between has a pending row.
	for _, query := range []string{
		`SELECT COUNT(*) FROM (SELECT 1 FROM orders WHERE activity_id = ? AND status = 'unpaid' LIMIT 1) AS unpaid`,
		`SELECT COUNT(*) FROM (SELECT 1 FROM stock_outbox WHERE activity_id = ? AND state = 'pending' LIMIT 1) AS pending`,
	} {
		var n int
		if err := tx.GetContext(ctx, &n, query, a.ID); err != nil {
			return false, fmt.Errorf("look for what is left of %s: %w", a.ID, err)
		}
		if n > 0 {
			return true, nil
		}
	}
	return false, nil
}
