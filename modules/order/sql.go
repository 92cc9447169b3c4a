package order

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Select reads an order; if there is none, the error wraps sql.ErrNoRows.
func Select(ctx context.Context, q sqlx.QueryerContext, n Number) (*Order, error) {
	found, err := SelectWhere(ctx, q, `number = ?`, n)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("select order %s: %w", n, sql.ErrNoRows)
	}
	return found[0], nil
}

// SelectAll reads the orders with these numbers, newest first. Numbers without an order are ignored.
func SelectAll(ctx context.Context, q sqlx.QueryerContext, numbers []Number) ([]*Order, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	return SelectWhere(ctx, q, `number IN (`+sqldb.In(len(numbers))+`)`, sqldb.Args(numbers)...)
}

// readColumns are the columns that selectOrders reads.
const readColumns = `number, status, pay_before_ms, paid_ms, cancelled_ms, reason, refunded_amount, record`

// SelectWhere reads the orders that meet a condition, newest first, also archived ones. If records can't be read, it
// returns all orders and an error that wraps ErrBadRecord; the orders whose records can't be read have no items.
func SelectWhere(ctx context.Context, q sqlx.QueryerContext, where string, args ...any) ([]*Order, error) {
	found, err := selectOrders(ctx, q, `SELECT `+readColumns+` FROM orders WHERE `+where+
		` UNION ALL SELECT `+readColumns+` FROM orders_archive WHERE `+where, slices.Concat(args, args)...)
	slices.SortFunc(found, func(a, b *Order) int { return cmp.Compare(b.Number, a.Number) })
	return found, err
}

// selectOrders reads the orders that a statement on readColumns selects. It returns the same errors as SelectWhere.
func selectOrders(ctx context.Context, q sqlx.QueryerContext, query string, args ...any) ([]*Order, error) {
	rows, err := q.QueryxContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("select orders: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var orders []*Order
	var unread error
	for rows.Next() {
		var state Order
		var record []byte
		if err := rows.Scan(&state.Number, &state.Status, &state.PayBefore, &state.PaidMS, &state.CancelledMS,
			&state.Reason, &state.RefundedAmount, &record); err != nil {
			return nil, fmt.Errorf("select orders: %w", err)
		}
		o, err := decodeRecord(record)
		if err != nil {
			unread = errors.Join(unread, fmt.Errorf("select order %s: %w", state.Number, err))
			o = &Order{Number: state.Number}
		}
		o.Status, o.PaidMS, o.CancelledMS, o.Reason = state.Status, state.PaidMS, state.CancelledMS, state.Reason
		o.PayBefore, o.RefundedAmount = state.PayBefore, state.RefundedAmount
		orders = append(orders, o)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("select orders: %w", err)
	}
	return orders, unread
}

// SelectOf reads a user's order; if there is none, or it belongs to another user, the error
// is not_found, and if SQL is unavailable it is unavailable.
func SelectOf(ctx context.Context, q sqlx.QueryerContext, user string, n Number) (*Order, error) {
	o, err := Select(ctx, q, n)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, problem.NotFound("order")
	case err != nil:
		return nil, problem.Unavailable(err, "The order can't be read right now.")
	case o.User != user:
		return nil, problem.NotFound("order")
	}
	return o, nil
}

// SelectLog reads the logs of orders in one statement; each log is oldest first.
func SelectLog(ctx context.Context, q sqlx.QueryerContext, numbers []Number) (map[Number][]LogLine, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var lines []LogLine
	query := `SELECT ` + logColumns.Names + ` FROM order_log
		WHERE order_number IN (` + sqldb.In(len(numbers)) + `) ORDER BY order_number, seq`
	if err := sqlx.SelectContext(ctx, q, &lines, query, sqldb.Args(numbers)...); err != nil {
		return nil, fmt.Errorf("select the logs of %d orders: %w", len(numbers), err)
	}
	byNumber := make(map[Number][]LogLine, len(numbers))
	for _, e := range lines {
		byNumber[e.Order] = append(byNumber[e.Order], e)
	}
	return byNumber, nil
}

// HasKind is the SQL condition that an item of an order has a kind. It takes the kind as two arguments. Orders of sales
// have items of one kind.
const HasKind = `(kind = ? OR (type = 'ordinary' AND EXISTS (
	SELECT 1 FROM order_items WHERE order_number = orders.number AND order_items.kind = ?)))`

// HasSKU is the SQL condition that an order has an item of a sku, or is of this bundle. It takes the sku twice.
const HasSKU = `(sku_id = ? OR ((type = 'ordinary' OR sku_id LIKE '%*%') AND EXISTS (
	SELECT 1 FROM order_items WHERE order_number = orders.number AND order_items.sku_id = ?)))`

// setStatus moves an order from one status to another by compare-and-set and reports whether this call
// did. If to is Paid, atMS is stored as paid_ms.
func setStatus(ctx context.Context, tx *sqlx.Tx, n Number, from, to Status, atMS int64, reason string) (bool, error) {
	set, args := "status = ?, reason = ?", []any{to, reason}
	if to == Paid {
		set, args = set+", paid_ms = ?", append(args, atMS)
	}
	res, err := tx.ExecContext(ctx, `UPDATE orders SET `+set+` WHERE number = ? AND status = ?`,
		append(args, n, from)...)
	if err != nil {
		return false, fmt.Errorf("set order %s %s: %w", n, to, err)
	}
	changed, err := res.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("set order %s %s: %w", n, to, err)
	}
	return changed == 1, nil
}

// LoggedFailed is the action in the log of an order that failed; Order.Reason has the reason.
const LoggedFailed = "failed"

// AddLogLine appends a line to an order's log. The caller must hold a lock on the order's row.
func AddLogLine(ctx context.Context, tx *sqlx.Tx, e LogLine) error {
	return addLogLines(ctx, tx, []*Order{{Number: e.Order}}, e)
}

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
	SKU      string `db:"sku_id"` // this and the next as of Order.Takes
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
