package queue

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
)

// sell adds units to sold, if the total allows it and the epoch matches; otherwise the error is errGuard.
func sell(ctx context.Context, tx *sqlx.Tx, units map[order.StockKey]int64, asOf map[string]int64) error {
	sold, err := order.AddSold(ctx, tx, units, "sold = sold +", func(k order.StockKey) (guard string, bound []any) {
		return "epoch = ? AND sold + ? <= total", []any{asOf[k.Activity], units[k]}
	})
	switch {
	case err != nil:
		return fmt.Errorf("sell: %w", err)
	case sold != int64(len(units)):
		return errGuard
	}
	return nil
}
