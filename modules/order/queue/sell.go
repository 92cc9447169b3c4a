package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
)

// sell adds units to sold, if the total allows it and the epoch matches; otherwise the error is errGuard.
func sell(ctx context.Context, tx *sqlx.Tx, units map[order.StockKey]int64, asOf map[string]int64) error {
	keys := make([]order.StockKey, 0, len(units))
	for k := range units {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, order.StockKey.Compare)
	const update = `UPDATE activity_stock SET sold = sold + ?
		WHERE activity_id = ? AND sku_id = ? AND point_id = ? AND epoch = ? AND sold + ? <= total`
	for _, k := range keys {
		res, err := tx.ExecContext(ctx, update, units[k], k.Activity, k.SKU, k.Point, asOf[k.Activity], units[k])
		if err != nil {
			return fmt.Errorf("sell %d of %s at %s in %s: %w", units[k], k.SKU, k.Point, k.Activity, err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(errGuard, err)
		}
	}
	return nil
}
