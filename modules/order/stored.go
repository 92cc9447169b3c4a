package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// Stored has the fields of a stored order that decide about it, and that loading and auditing need.
type Stored struct {
	Number   Number `db:"number"`
	User     string `db:"user_id"`
	Task     string `db:"task_id"`
	Digest   string `db:"digest"`
	Activity string `db:"activity_id"`
	Status   Status `db:"status"`
	Reason   string `db:"reason"`
	Point    string `db:"point_id"`
	SKU      string `db:"sku_id"`
	Quantity int64  `db:"quantity"`
}

// IsOf reports whether a row with the number of an order is the order's, by their task: an erasure replaces the row's
// user.
func (s *Stored) IsOf(o *Order) bool { return s.Activity == o.Activity && s.Task == o.Task }

// StoredColumns are the columns of Stored.
const StoredColumns = `number, user_id, task_id, digest, activity_id, status, reason, point_id, sku_id, quantity`

// SelectStored reads which of the orders SQL has, also as archived ones, by number.
func SelectStored(ctx context.Context, q sqlx.QueryerContext, numbers []Number) (map[Number]Stored, error) {
	found := make(map[Number]Stored)
	for chunk := range slices.Chunk(numbers, 1000) {
		var page []Stored
		in, args := ` WHERE number IN (`+sqldb.In(len(chunk))+`)`, sqldb.Args(chunk)
		query := `SELECT ` + StoredColumns + ` FROM orders` + in +
			` UNION ALL SELECT ` + StoredColumns + ` FROM orders_archive` + in
		if err := sqlx.SelectContext(ctx, q, &page, query, slices.Concat(args, args)...); err != nil {
			return nil, fmt.Errorf("select which of %d orders are stored: %w", len(chunk), err)
		}
		for _, o := range page {
			found[o.Number] = o
		}
	}
	return found, nil
}

// ByTask reads the order of a task from SQL; if there is none, the error wraps sql.ErrNoRows.
func ByTask(ctx context.Context, db *sqldb.DB, task string) (*Stored, error) {
	var s Stored
	const query = `SELECT ` + StoredColumns + ` FROM orders WHERE task_id = ?
		UNION ALL SELECT ` + StoredColumns + ` FROM orders_archive WHERE task_id = ? LIMIT 1`
	if err := db.Read.GetContext(ctx, &s, query, task, task); err != nil {
		return nil, fmt.Errorf("select order of task: %w", err)
	}
	return &s, nil
}
