package inventory

import (
	"context"
	"errors"
	"fmt"

	"onrush/modules/sqldb"
)

// changePage is the maximum number of changes of one run.
const changePage = 100

// pendingChange is a pending change, with the lane of its activity and when that was retired (0: not yet).
type pendingChange struct {
	StockChange
	Lane      int   `db:"lane"`
	CreatedMS int64 `db:"created_ms"`
	RetiredMS int64 `db:"retired_ms"`
}

// next returns the changes of this run.
func (c *Changer) next(ctx context.Context) ([]pendingChange, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var pending []pendingChange
	const query = `SELECT o.outbox_id, o.state, o.activity_id, o.sku_id, o.point_id, o.quantity, o.created_ms, a.lane,
		a.retired_ms
		FROM stock_outbox o JOIN activities a ON a.activity_id = o.activity_id
		WHERE o.state = 'pending' AND o.kind = 'change' AND (o.created_ms > ? OR (o.created_ms = ? AND o.outbox_id > ?))
		ORDER BY o.created_ms, o.outbox_id LIMIT ?`
	if err := c.db.Write.SelectContext(ctx, &pending, query, c.lastMS, c.lastMS, c.lastID, changePage); err != nil {
		return nil, fmt.Errorf("select pending stock changes: %w", err)
	}
	return pending, nil
}

// goOn sets the change after which the next run resumes.
func (c *Changer) goOn(lastMS int64, lastID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastMS, c.lastID = lastMS, lastID
}

// RunOnce takes at most changePage pending changes, finishes them, and abandons the changes of retired sales. It
// returns how many it has closed; the error joins the failures of the others.
func (c *Changer) RunOnce(ctx context.Context) (finished int, err error) {
	pending, err := c.next(ctx)
	if err != nil {
		return 0, err
	}
	var failed error
	for _, p := range pending {
		if ctx.Err() != nil {
			return finished, failed
		}
		c.goOn(p.CreatedMS, p.ID)
		if c.db.Busy.Skips(sqldb.StockOf(p.Activity)) {
			continue
		}
		state := ChangeAbandoned
		if p.RetiredMS != 0 {
			err = c.abandon(ctx, p.Lane, p.StockChange)
		} else {
			state, err = c.finish(ctx, p.Lane, p.StockChange)
		}
		c.db.Busy.Note(sqldb.StockOf(p.Activity), err)
		if err != nil {
			failed = errors.Join(failed, err) // it must not block the changes of other activities
			continue
		}
		onJobFinished.Mark()
		finished++
		c.log.InfoContext(ctx, "stock change finished", "activity_id", p.Activity, "sku_id", p.SKU, "point_id", p.Point,
			"delta", p.Delta, "state", state)
	}
	if len(pending) < changePage {
		c.goOn(0, "")
	}
	return finished, failed
}
