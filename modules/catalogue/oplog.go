package catalogue

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/sqldb"
)

// stockChanged is the action of a change of a sku's ordinary stock by an operator.
const stockChanged = "sku.stock_changed"

// stockValue is the ordinary stock of a sku in the operators' log.
type stockValue struct {
	Stock   int64 `json:"stock"`
	Version int64 `json:"version"` // of the stock
}

// changeOf returns the log entry of a change. before is nil if the thing is new, after if it is deleted.
func changeOf[T any](kind, id string, before, after *T) oplog.Entry {
	c := oplog.Entry{On: kind + ":" + id}
	switch {
	case before == nil:
		c.Action, c.After = kind+".created", after
	case after == nil:
		c.Action, c.Before = kind+".deleted", before
	default:
		c.Action, c.Before, c.After = kind+".changed", before, after
	}
	return c
}

func changeOfSKU(before, after *SKU) oplog.Entry {
	if after == nil {
		return changeOf("sku", before.ID, before, after)
	}
	return changeOf("sku", after.ID, before, after)
}

func changeOfPoint(before, after *Point) oplog.Entry {
	if after == nil {
		return changeOf("point", before.ID, before, after)
	}
	return changeOf("point", after.ID, before, after)
}

func recordSKU(ctx context.Context, tx *sqlx.Tx, before, after *SKU) error {
	return oplog.Record(ctx, tx, changeOfSKU(before, after))
}

func recordPoint(ctx context.Context, tx *sqlx.Tx, before, after *Point) error {
	return oplog.Record(ctx, tx, changeOfPoint(before, after))
}

// lockPoint locks the row of a stock point until the transaction ends, and reads it; nil if there is none.
func lockPoint(ctx context.Context, tx *sqlx.Tx, id string) (*Point, error) {
	if _, err := tx.ExecContext(ctx, `UPDATE stock_points SET updated_ms = updated_ms WHERE point_id = ?`,
		id); err != nil {
		return nil, fmt.Errorf("lock stock point %s: %w", id, err)
	}
	var w sqldb.Where
	w.And("point_id = ?", id)
	points, err := selectPoints(ctx, tx, w, 1, 0)
	if err != nil || len(points) == 0 {
		return nil, err
	}
	return &points[0], nil
}
