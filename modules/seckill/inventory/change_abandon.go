package inventory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
)

// errChangeLoaded says that a change can't be abandoned, since Redis has the sale.
var errChangeLoaded = problem.Errorf(problem.CodeConflict,
	"The sale is loaded or being loaded, so the change will be carried out.")

// Pending returns a page of an activity's pending changes, the oldest first, and their total number.
func (c *Changer) Pending(
	ctx context.Context, activity string, page api.Page,
) (changes []PendingChange, total int64, err error) {
	err = c.db.InView(ctx, func(tx *sqlx.Tx) error {
		var a seckill.Activity
		err := tx.GetContext(ctx, &a, `SELECT `+seckill.ActivityColumns+` FROM activities WHERE activity_id = ?`,
			activity)
		if errors.Is(err, sql.ErrNoRows) {
			return problem.NotFound("activity")
		}
		if err != nil {
			return fmt.Errorf("select activity %s: %w", activity, err)
		}
		const from = ` FROM stock_outbox WHERE state = 'pending' AND kind = 'change' AND activity_id = ?`
		if err := tx.GetContext(ctx, &total, `SELECT COUNT(*)`+from, activity); err != nil {
			return fmt.Errorf("count pending changes of %s: %w", activity, err)
		}
		query := `SELECT outbox_id, state, activity_id, sku_id, point_id, quantity, created_ms` + from +
			` ORDER BY created_ms, outbox_id LIMIT ? OFFSET ?`
		if err := tx.SelectContext(ctx, &changes, query, activity, page.Size, page.Offset()); err != nil {
			return fmt.Errorf("select pending changes of %s: %w", activity, err)
		}
		reason := c.reason(ctx, &a)
		for i := range changes {
			changes[i].Reason = reason
		}
		return nil
	})
	return changes, total, err
}

// PendingReason is why a change is pending.
type PendingReason string

// The reasons of pending changes.
const (
	SaleRetired    PendingReason = "retired"
	SaleNotLoaded  PendingReason = "not_loaded"
	WaitsForTheJob PendingReason = "waiting" // for the next run of the job
)

// PendingChange is a pending change. CreatedMS is in UTC milliseconds.
type PendingChange struct {
	StockChange
	CreatedMS int64         `db:"created_ms"`
	Reason    PendingReason `db:"-"`
}

// reason returns why changes of an activity are pending.
func (c *Changer) reason(ctx context.Context, a *seckill.Activity) PendingReason {
	if a.RetiredMS != 0 {
		return SaleRetired
	}
	if n, err := c.lua.Redis.Exists(ctx, c.lua.Keys.Meta(a.Lane, a.ID)).Result(); err == nil && n == 0 {
		return SaleNotLoaded
	}
	return WaitsForTheJob
}

// Abandon abandons a change that can't be carried out, because its sale is retired or Redis lost it, and
// returns the change with its new state. A change that can be carried out is carried out instead: what was
// applied in Redis is not undone. If the sale is loaded and the change fails nevertheless, the error is a
// conflict.
func (c *Changer) Abandon(ctx context.Context, activity, id string) (StockChange, error) {
	var ch pendingChange
	const query = `SELECT o.outbox_id, o.state, o.activity_id, o.sku_id, o.point_id, o.quantity, o.created_ms, a.lane,
		a.retired_ms
		FROM stock_outbox o JOIN activities a ON a.activity_id = o.activity_id
		WHERE o.outbox_id = ? AND o.activity_id = ? AND o.kind = 'change'`
	err := c.db.Write.GetContext(ctx, &ch, query, id, activity)
	switch {
	case errors.Is(err, sql.ErrNoRows) || !strings.HasPrefix(id, changePrefix):
		return StockChange{}, problem.NotFound("stock change")
	case err != nil:
		return StockChange{},
			problem.Unavailable(fmt.Errorf("select stock change: %w", err), "The change can't be read right now.")
	case ch.State != ChangePending:
		return ch.StockChange, nil
	}
	if ch.RetiredMS == 0 {
		_, err = c.finish(ctx, ch.Lane, ch.StockChange)
	}
	if ch.RetiredMS != 0 || err != nil {
		err = c.abandon(ctx, ch.Lane, ch.StockChange)
	}
	switch {
	case problem.Is(err):
		return StockChange{}, err
	case err != nil:
		return StockChange{}, problem.Unavailable(err, "The change can't be abandoned right now.")
	}
	if err := c.db.Write.GetContext(ctx, &ch.State, `SELECT state FROM stock_outbox WHERE outbox_id = ?`,
		id); err != nil {
		return StockChange{},
			problem.Unavailable(fmt.Errorf("select stock change: %w", err), "The change can't be read right now.")
	}
	return ch.StockChange, nil
}

// abandon closes a pending change that Redis doesn't know, and removes the units of a raise from SQL. It
// locks the activity's stock rows, so that no load begins meanwhile; a load that has begun before has left
// its key in Redis.
func (c *Changer) abandon(ctx context.Context, lane int, ch StockChange) error {
	onAbandoned.Mark()
	return c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		// The change is updated first, as in close.
		res, err := tx.ExecContext(ctx,
			`UPDATE stock_outbox SET state = 'abandoned' WHERE outbox_id = ? AND state = 'pending'`, ch.ID)
		if err != nil {
			return fmt.Errorf("abandon stock change: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		if err := order.Fence(ctx, tx, ch.Activity); err != nil {
			return err
		}
		var retiredMS int64
		if err := tx.GetContext(ctx, &retiredMS, `SELECT retired_ms FROM activities WHERE activity_id = ?`,
			ch.Activity); err != nil {
			return fmt.Errorf("select activity %s: %w", ch.Activity, err)
		}
		if retiredMS == 0 {
			n, err := c.lua.Redis.Exists(ctx, c.lua.Keys.Meta(lane, ch.Activity)).Result()
			if err != nil {
				return fmt.Errorf("look up activity %s in redis: %w", ch.Activity, err)
			}
			if n > 0 {
				return errChangeLoaded
			}
		}
		const update = `UPDATE activity_stock SET total = total - ?
			WHERE activity_id = ? AND sku_id = ? AND point_id = ? AND total - ? >= sold`
		raised := max(ch.Delta, 0)
		res, err = tx.ExecContext(ctx, update, raised, ch.Activity, ch.SKU, ch.Point, raised)
		if err != nil {
			return fmt.Errorf("lower stock: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, problem.Errorf(problem.CodeConflict, "Units of the change have been sold already."))
		}
		if raised > 0 {
			if err := raiseRevision(ctx, tx, ch.Activity); err != nil {
				return err
			}
		}
		return recordOutcome(ctx, tx, ch, ChangeAbandoned)
	})
}
