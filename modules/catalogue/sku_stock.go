package catalogue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"

	"github.com/jmoiron/sqlx"

	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/problem"
)

// selectSKU reads a sku; it returns nil if there is none.
func selectSKU(ctx context.Context, q sqlx.QueryerContext, id string) (*SKU, error) {
	var row skuRow
	err := sqlx.GetContext(ctx, q, &row, `SELECT `+skuColumns+` FROM skus WHERE sku_id = ?`, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("select sku %s: %w", id, err)
	}
	sku := row.sku()
	return &sku, nil
}

// lockSKU locks the row of a sku until the transaction ends, and reads it; if it doesn't exist, the
// error is not_found.
func lockSKU(ctx context.Context, tx *sqlx.Tx, id string) (*SKU, error) {
	if _, err := tx.ExecContext(ctx, `UPDATE skus SET updated_ms = updated_ms WHERE sku_id = ?`, id); err != nil {
		return nil, fmt.Errorf("lock sku %s: %w", id, err)
	}
	sku, err := selectSKU(ctx, tx, id)
	if err == nil && sku == nil {
		err = problem.NotFound("sku")
	}
	return sku, err
}

// ChangeStock adds delta to the ordinary stock of a sku and returns the resulting sku. A stock below 0 or above 10^12
// is a conflict.
func (c *Catalogue) ChangeStock(ctx context.Context, id string, delta int64) (SKU, error) {
	return c.setStock(ctx, id, func(_ *sqlx.Tx, had *SKU) (int64, error) { return had.Stock + delta, nil })
}

// SetStock sets the ordinary stock of a sku to a number of units and returns the resulting sku. version is the
// StockVersion that the caller saw, as oplog.Check takes it: an order or an operator who changed the stock meanwhile
// makes it stale.
func (c *Catalogue) SetStock(ctx context.Context, id string, version, stock int64) (SKU, error) {
	return c.setStock(ctx, id, func(tx *sqlx.Tx, had *SKU) (int64, error) {
		return stock, oplog.CheckAction(ctx, tx, "sku:"+id, stockChanged, version, had.StockVersion)
	})
}

func (c *Catalogue) setStock(
	ctx context.Context, id string, next func(tx *sqlx.Tx, had *SKU) (int64, error),
) (changed SKU, err error) {
	err = c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		had, err := lockSKU(ctx, tx, id) // serializes the changes of a sku
		if err != nil {
			return err
		}
		stock, err := next(tx, had)
		if err != nil {
			return err
		}
		var entry oplog.Entry
		if changed, entry, err = storeStock(ctx, tx, had, stock); err != nil {
			return err
		}
		if err := oplog.Record(ctx, tx, entry); err != nil {
			return err
		}
		return idempotency.Keep(ctx, tx, http.StatusOK, changed)
	})
	if err != nil {
		return SKU{}, err
	}
	c.skus.Forget(id)
	return changed, nil
}

// storeStock stores the ordinary stock of a sku, whose row is locked, and returns the sku and what to record.
func storeStock(ctx context.Context, tx *sqlx.Tx, had *SKU, stock int64) (SKU, oplog.Entry, error) {
	changed := *had
	changed.Stock = stock
	changed.StockVersion++
	entry := oplog.Entry{
		Action: stockChanged, On: "sku:" + had.ID, Before: stockValue{had.Stock, had.StockVersion},
		After: stockValue{changed.Stock, changed.StockVersion},
	}
	switch {
	case stock < 0:
		return changed, entry, problem.Errorf(problem.CodeConflict, "Sku %s has only %d left.", had.ID, had.Stock)
	case stock > maxStock:
		return changed, entry,
			problem.Errorf(problem.CodeConflict, "The stock of a sku must be at most %d.", int64(maxStock))
	}
	const update = `UPDATE skus SET stock = ?, stock_version = stock_version + 1 WHERE sku_id = ?`
	if _, err := tx.ExecContext(ctx, update, stock, had.ID); err != nil {
		return changed, entry, fmt.Errorf("change stock of sku %s: %w", had.ID, err)
	}
	return changed, entry, nil
}
