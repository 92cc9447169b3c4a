package order

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
	"onrush/web/problem"
)

// The columns of an order, of an item and of a line of the log are the fields of their structs.
var (
	Columns      = sqldb.ColumnsOf[Order]()
	itemColumns  = sqldb.ColumnsOf[Item]()
	eventColumns = sqldb.ColumnsOf[Event]()
	// newColumns are the columns of a new order.
	newColumns = Columns.With("content")
)

// Insert inserts orders and their items in few statements (sqldb.Insert), writes their events and counts
// them. Errors: a duplicate key (sqldb.IsDuplicate) for a number or task that is stored already, ErrLimit
// for an order that would exceed a purchase limit, ErrRaced if another transaction inserted a count at the
// same time. After an error the caller must roll back.
func Insert(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	if len(orders) == 0 {
		return nil
	}
	args := make([]any, 0, len(orders)*(Columns.Len()+1))
	itemArgs := make([]any, 0, len(orders)*itemColumns.Len())
	var it Item // one variable for all, so that no item escapes to the heap
	for _, o := range orders {
		args = append(Columns.AppendTo(args, o), storedContent(o))
		for i := range o.Items {
			it = o.Items[i]
			it.Order, it.Line, it.Kind = o.Number, i+1, cmp.Or(it.Kind, o.Kind)
			itemArgs = itemColumns.AppendTo(itemArgs, &it)
		}
	}
	if err := newColumns.Insert(ctx, tx, "orders", args); err != nil {
		return fmt.Errorf("insert %d orders: %w", len(orders), err)
	}
	if err := itemColumns.Insert(ctx, tx, "order_items", itemArgs); err != nil {
		return fmt.Errorf("insert the items of %d orders: %w", len(orders), err)
	}
	if err := noteNew(ctx, tx, orders); err != nil { // before the counts, whose rows others wait for
		return err
	}
	if err := buy(ctx, tx, orders); err != nil {
		return err
	}
	return countNew(ctx, tx, orders)
}

// Select reads an order with its items; if there is none, the error wraps sql.ErrNoRows.
func Select(ctx context.Context, q sqlx.QueryerContext, n Number) (*Order, error) {
	var o Order
	if err := sqlx.GetContext(ctx, q, &o, `SELECT `+Columns.Names+` FROM orders WHERE number = ?`, n); err != nil {
		return nil, fmt.Errorf("select order %s: %w", n, err)
	}
	if err := FillItems(ctx, q, []*Order{&o}); err != nil {
		return nil, err
	}
	return &o, nil
}

// SelectAll reads the orders with these numbers and their items, newest first. Numbers without an order are ignored.
func SelectAll(ctx context.Context, q sqlx.QueryerContext, numbers []Number) ([]*Order, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var orders []*Order
	query := `SELECT ` + Columns.Names + ` FROM orders WHERE number IN (` + sqldb.In(len(numbers)) +
		`) ORDER BY number DESC`
	if err := sqlx.SelectContext(ctx, q, &orders, query, sqldb.Args(numbers)...); err != nil {
		return nil, fmt.Errorf("select %d orders: %w", len(numbers), err)
	}
	return orders, FillItems(ctx, q, orders)
}

// SelectOf reads a user's order with its items; if there is none, or it belongs to another user, the error
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

// FillItems reads the items of orders in one statement.
func FillItems(ctx context.Context, q sqlx.QueryerContext, orders []*Order) error {
	if len(orders) == 0 {
		return nil
	}
	byNumber := make(map[Number]*Order, len(orders))
	args := make([]any, len(orders))
	for i, o := range orders {
		byNumber[o.Number] = o
		args[i] = o.Number
	}
	var items []Item
	query := `SELECT ` + itemColumns.Names + ` FROM order_items WHERE order_number IN (` + sqldb.In(len(args)) +
		`) ORDER BY order_number, line`
	if err := sqlx.SelectContext(ctx, q, &items, query, args...); err != nil {
		return fmt.Errorf("select items of %d orders: %w", len(orders), err)
	}
	for _, it := range items {
		o := byNumber[it.Order]
		it.Kind = cmp.Or(it.Kind, o.Kind) // older versions store items without one
		it.Point = o.Point
		o.Items = append(o.Items, it)
	}
	return nil
}

// SelectEvents reads the logs of orders in one statement; each log is oldest first.
func SelectEvents(ctx context.Context, q sqlx.QueryerContext, numbers []Number) (map[Number][]Event, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var events []Event
	query := `SELECT ` + eventColumns.Names + ` FROM order_events
		WHERE order_number IN (` + sqldb.In(len(numbers)) + `) ORDER BY order_number, seq`
	if err := sqlx.SelectContext(ctx, q, &events, query, sqldb.Args(numbers)...); err != nil {
		return nil, fmt.Errorf("select the logs of %d orders: %w", len(numbers), err)
	}
	byNumber := make(map[Number][]Event, len(numbers))
	for _, e := range events {
		byNumber[e.Order] = append(byNumber[e.Order], e)
	}
	return byNumber, nil
}

// HasKind is the condition that an item of an order has a kind; the kind is its argument, twice. Orders
// of sales have one item.
const HasKind = `(kind = ? OR (type = 'ordinary' AND EXISTS (
	SELECT 1 FROM order_items WHERE order_number = orders.number AND order_items.kind = ?)))`

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

// EventFailed is the action in the log of an order that failed; Order.Reason has the reason.
const EventFailed = "failed"

// AddEvent appends a line to an order's log. The caller must hold a lock on the order's row.
func AddEvent(ctx context.Context, tx *sqlx.Tx, e Event) error {
	return addEvents(ctx, tx, []*Order{{Number: e.Order}}, e)
}
