package order

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// ContendedRows returns keys for sqldb.DB.Share: the contended rows that storing or cancelling the orders
// locks, which are the stock of sales and of ordinary goods.
func ContendedRows(orders ...*Order) []string {
	var keys []string
	for _, o := range orders {
		if o.Type == Seckill {
			keys = append(keys, "sale "+o.Activity)
			continue
		}
		for _, it := range o.Items {
			keys = append(keys, "sku "+it.SKU)
		}
	}
	return keys
}

// StockKey is the key of a row of activity_stock. A transaction locks such rows in the order of Compare.
type StockKey struct{ Activity, SKU, Point string }

// AddTo adds the units that a seckill order takes to units.
func (o *Order) AddTo(units map[StockKey]int64) {
	for i := range o.Items {
		units[StockKey{o.Activity, o.Items[i].SKU, o.Point}] += o.Items[i].Quantity
	}
}

// Compare orders keys by activity, sku and point.
func (k StockKey) Compare(other StockKey) int {
	return cmp.Or(cmp.Compare(k.Activity, other.Activity), cmp.Compare(k.SKU, other.SKU),
		cmp.Compare(k.Point, other.Point))
}

// AddSold adds to or subtracts from the units sold, as sum says, and returns for how many keys there was a row that its
// guard allowed to change; without a guard all are.
func AddSold(
	ctx context.Context, tx *sqlx.Tx, units map[StockKey]int64, sum string,
	guard func(StockKey) (guard string, bound []any),
) (rows int64, err error) {
	adds := make([]sqldb.Add, 0, len(units))
	for _, k := range slices.SortedFunc(maps.Keys(units), StockKey.Compare) {
		add := sqldb.Add{
			N:   units[k],
			Key: "activity_id = ? AND sku_id = ? AND point_id = ?", Keys: []any{k.Activity, k.SKU, k.Point},
		}
		if guard != nil {
			add.Guard, add.Bound = guard(k)
		}
		adds = append(adds, add)
	}
	if rows, err = sqldb.AddTo(ctx, tx, "activity_stock", []string{sum}, adds); err != nil {
		return 0, fmt.Errorf("change the units sold of %d skus: %w", len(units), err)
	}
	return rows, nil
}
