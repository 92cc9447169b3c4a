package catalogue

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/problem"
)

// DeleteSKU deletes a sku. It is a conflict if the sku is part of a draft, of a sale that is not
// retired, or of an unpaid ordinary order, since cancelling such an order gives its units back to the
// sku; and while units of it wait for codes, or imported codes are left. Orders keep their own copy of their items.
// version is that from which the request was made, as oplog.Check takes it.
func (c *Catalogue) DeleteSKU(ctx context.Context, id string, version int64) error {
	err := c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		// Placing an order changes the sku's row, so that none is placed while it is locked.
		before, err := lockSKU(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := oplog.Check(ctx, tx, "sku:"+id, version, before.Version); err != nil {
			return err
		}
		for use, query := range map[string]string{
			"an activity": `SELECT COUNT(*) FROM (SELECT 1 FROM activities a
				JOIN activity_skus s ON s.activity_id = a.activity_id
				WHERE a.retired_ms = 0 AND s.sku_id = ? LIMIT 1) AS used`,
			"an unpaid order": `SELECT COUNT(*) FROM (SELECT 1 FROM orders o
				JOIN order_items i ON i.order_number = o.number
				WHERE o.status = 'unpaid' AND o.type = 'ordinary' AND i.sku_id = ? LIMIT 1) AS used`,
		} {
			if err := unused(ctx, tx, query, id, "The sku is part of "+use+"."); err != nil {
				return err
			}
		}
		if err := releaseCodes(ctx, tx, id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM skus WHERE sku_id = ?`, id); err != nil {
			return fmt.Errorf("delete sku %s: %w", id, err)
		}
		return recordSKU(ctx, tx, before, nil)
	})
	if err != nil {
		return err
	}
	c.skus.Forget(id)
	return nil
}

// DeletePoint deletes a stock point. It is a conflict if a draft, or a sale that is not retired, has
// stock at it. version is as in DeleteSKU.
func (c *Catalogue) DeletePoint(ctx context.Context, id string, version int64) error {
	err := c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		const query = `SELECT COUNT(*) FROM (SELECT 1 FROM activities a
			JOIN activity_stock s ON s.activity_id = a.activity_id
			WHERE a.retired_ms = 0 AND s.point_id = ? LIMIT 1) AS used`
		if err := unused(ctx, tx, query, id, "The stock point is part of an activity."); err != nil {
			return err
		}
		before, err := lockPoint(ctx, tx, id)
		if err == nil && before == nil {
			return problem.NotFound("stock point")
		}
		if err != nil {
			return err
		}
		if err := oplog.Check(ctx, tx, "point:"+id, version, before.Version); err != nil {
			return err
		}
		if _, err := execOne(ctx, tx, `DELETE FROM stock_points WHERE point_id = ?`, id); err != nil {
			return fmt.Errorf("delete stock point %s: %w", id, err)
		}
		if err := raisePoints(ctx, tx); err != nil {
			return err
		}
		return recordPoint(ctx, tx, before, nil)
	})
	if err != nil {
		return err
	}
	c.points.Forget(allPoints)
	return nil
}

// unused returns a conflict if the query counts any rows.
func unused(ctx context.Context, tx *sqlx.Tx, query, id, conflict string) error {
	var n int
	if err := tx.GetContext(ctx, &n, query, id); err != nil {
		return fmt.Errorf("count uses of %s: %w", id, err)
	}
	if n > 0 {
		return problem.Errorf(problem.CodeConflict, "%s", conflict)
	}
	return nil
}
