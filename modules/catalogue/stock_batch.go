package catalogue

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/ids"
	"onrush/modules/oplog"
	"onrush/modules/problem"
)

// StockLine is the number of units to which a batch sets the ordinary stock of a sku. Version is the StockVersion that
// the caller saw, as SetStock takes it.
type StockLine struct {
	SKU     string `json:"sku_id"`
	Stock   *int64 `json:"stock" validate:"required,min=0,max=1000000000000"`
	Version int64  `json:"version" validate:"min=0,max=9007199254740991"`
}

func (l StockLine) check() error {
	var c problem.Checks
	c.That(ids.Valid(l.SKU), "sku_id", ids.Rule)
	return c.Err()
}

// notASKU is also said of a sku of another shop, which operators of one shop can't see.
const notASKU = "must be the id of a sku"

// SetStocks sets the ordinary stock of skus, all or none, and returns them in the same order. Each is treated as by
// SetStock; an error names the lines.
func (c *Catalogue) SetStocks(ctx context.Context, stocks []StockLine) ([]SKU, error) {
	lines, err := linesOf(stocks, StockLine.check, func(l StockLine) string { return l.SKU }, "sku_id")
	if err != nil {
		return nil, err
	}
	stored := make([]SKU, len(lines))
	err = c.inBatch(ctx, "batch of skus", func(tx *sqlx.Tx) error {
		rows := make([]line[SKU], len(lines))
		for i, l := range lines {
			rows[i] = line[SKU]{at: l.at, value: SKU{ID: l.value.SKU}}
		}
		if err := lockSKUs(ctx, tx, rows, notASKU); err != nil {
			return err
		}
		made := make([]oplog.Entry, 0, len(lines))
		for i, l := range lines {
			had := rows[i].before
			if had == nil {
				return problem.Invalid(fmt.Sprintf("items[%d].sku_id", l.at), notASKU)
			}
			err := oplog.CheckAction(ctx, tx, "sku:"+had.ID, stockChanged, l.value.Version, had.StockVersion)
			if err != nil {
				return ofLine(err, l.at)
			}
			sku, entry, err := storeStock(ctx, tx, had, *l.value.Stock)
			if err != nil {
				return err
			}
			stored[l.at], made = sku, append(made, entry)
		}
		return oplog.Record(ctx, tx, made...)
	})
	if err != nil {
		return nil, err
	}
	for _, l := range stocks {
		c.skus.Forget(l.SKU)
	}
	return stored, nil
}
