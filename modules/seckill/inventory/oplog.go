package inventory

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
)

// stockValue is the stock of a sku at a point, in the operators' log. A lowering has its total when it is
// done.
type stockValue struct {
	SKU    string `json:"sku_id"`
	Point  string `json:"point_id"`
	Total  int64  `json:"total"`
	Change string `json:"change_id,omitempty"`

	Version int64 `json:"version"` // of the sale
}

// recordStockChange records a stock change when it begins. The row of the stock is locked. version is the sale's
// version after the change.
func recordStockChange(ctx context.Context, tx *sqlx.Tx, ch *StockChange, version int64) error {
	var total int64
	const query = `SELECT total FROM activity_stock WHERE activity_id = ? AND sku_id = ? AND point_id = ?`
	if err := tx.GetContext(ctx, &total, query, ch.Activity, ch.SKU, ch.Point); err != nil {
		return fmt.Errorf("select stock of %s: %w", ch.Activity, err)
	}
	before := stockValue{SKU: ch.SKU, Point: ch.Point, Total: total - max(ch.Delta, 0), Version: version - 1}
	return oplog.Record(ctx, tx, oplog.Entry{
		Action: "activity.stock_changed", On: "activity:" + ch.Activity, Before: before,
		After: stockValue{
			SKU: ch.SKU, Point: ch.Point, Total: before.Total + ch.Delta, Change: ch.ID, Version: version,
		},
	})
}

// changeState is the state of a stock change, in the operators' log.
type changeState struct {
	Change string      `json:"change_id"`
	State  ChangeState `json:"status"`
}

// recordOutcome records that a pending stock change was refused or abandoned.
func recordOutcome(ctx context.Context, tx *sqlx.Tx, ch StockChange, state ChangeState) error {
	return oplog.Record(ctx, tx, oplog.Entry{
		Action: "activity.stock_change_" + string(state), On: "activity:" + ch.Activity,
		Before: changeState{ch.ID, ChangePending}, After: changeState{ch.ID, state},
	})
}

// recordRepair records a repair. It corrected Redis before, which no transaction of SQL contains.
func (au *Auditor) recordRepair(ctx context.Context, id string, before, after *Audit) error {
	return au.db.InTx(ctx, func(tx *sqlx.Tx) error {
		return oplog.Record(ctx, tx, oplog.Entry{
			Action: "activity.repaired", On: "activity:" + id, Before: before, After: after,
		})
	})
}
