package catalogue

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
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

// ChangeStock adds delta to the ordinary stock of a sku, once per Idempotency-Key, and returns the
// resulting sku. The same key with another delta is idempotency_key_reused. A stock below 0 or above
// 10^12 is a conflict, after which the key may be used again.
func (c *Catalogue) ChangeStock(ctx context.Context, id, key string, delta int64) (SKU, error) {
	sum := sha256.Sum256([]byte(id + "\x00" + key))
	change := base64.RawURLEncoding.EncodeToString(sum[:18])
	var changed SKU
	err := c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		sku, err := lockSKU(ctx, tx, id) // serializes the changes of a sku
		if err != nil {
			return err
		}
		var known []int64
		if err := tx.SelectContext(ctx, &known, `SELECT delta FROM sku_stock_changes WHERE change_id = ?`,
			change); err != nil {
			return fmt.Errorf("select stock change: %w", err)
		}
		changed = *sku
		switch after := sku.Stock + delta; {
		case len(known) > 0 && known[0] != delta:
			return problem.Errorf(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used for another change.")
		case len(known) > 0:
			return nil
		case after < 0:
			return problem.Errorf(problem.CodeConflict, "Only %d units of sku %s are left.", sku.Stock, id)
		case after > maxStock:
			return problem.Errorf(problem.CodeConflict, "The stock of a sku must be at most %d.", int64(maxStock))
		default:
			changed.Stock = after
		}
		if _, err := tx.ExecContext(ctx, `UPDATE skus SET stock = stock + ? WHERE sku_id = ?`, delta, id); err != nil {
			return fmt.Errorf("change stock of sku %s: %w", id, err)
		}
		const insert = `INSERT INTO sku_stock_changes (change_id, sku_id, delta, created_ms) VALUES (?, ?, ?, ?)`
		if _, err := tx.ExecContext(ctx, insert, change, id, delta, c.now().UnixMilli()); err != nil {
			return fmt.Errorf("insert stock change of sku %s: %w", id, err)
		}
		return oplog.Record(ctx, tx, oplog.Entry{
			Action: "sku.stock_changed", On: "sku:" + id, Before: stockValue{sku.Stock},
			After: stockValue{changed.Stock},
		})
	})
	if err != nil {
		return SKU{}, sqldb.Problem(err, "change stock of sku "+id)
	}
	c.skus.Forget(id)
	return changed, nil
}
