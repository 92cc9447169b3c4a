package inventory

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/problem"
)

// toQuantity locks the stock of a change with a Quantity, and sets the change's Delta. A change to the total that the
// stock has already is done. While another change of the stock is pending, the error is a conflict, since the total
// does not say yet what that change makes of it.
func toQuantity(ctx context.Context, tx *sqlx.Tx, want *StockChange) error {
	const where = ` WHERE activity_id = ? AND sku_id = ? AND point_id = ?`
	stock := []any{want.Activity, want.SKU, want.Point}
	if _, err := tx.ExecContext(ctx, `UPDATE activity_stock SET total = total`+where, stock...); err != nil {
		return fmt.Errorf("lock stock of %s: %w", want.Activity, err)
	}
	var totals []int64
	if err := tx.SelectContext(ctx, &totals, `SELECT total FROM activity_stock`+where, stock...); err != nil {
		return fmt.Errorf("select stock of %s: %w", want.Activity, err)
	}
	if len(totals) == 0 {
		return noSuchStock(ctx, tx, want)
	}
	var pending int
	const count = `SELECT COUNT(*) FROM stock_outbox` + where + ` AND state = 'pending' AND kind = 'change'`
	if err := tx.GetContext(ctx, &pending, count, stock...); err != nil {
		return fmt.Errorf("count pending changes of %s: %w", want.Activity, err)
	}
	if pending > 0 {
		return problem.Errorf(problem.CodeConflict,
			"Another change of this stock is still being carried out; try again.")
	}
	if want.Delta = *want.Quantity - totals[0]; want.Delta != 0 {
		return nil
	}
	var revision int64
	if err := tx.GetContext(ctx, &revision, `SELECT revision FROM activities WHERE activity_id = ?`,
		want.Activity); err != nil {
		return fmt.Errorf("select the version of %s: %w", want.Activity, err)
	}
	want.State = ChangeDone
	return oplog.Check(ctx, tx, "activity:"+want.Activity, want.Version, revision)
}
