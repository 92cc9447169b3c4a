package order

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// orderColumns are the columns of orders in the order in which they are read and written.
const orderColumns = `number, user_id, task_id, digest, type, kind, status, shop_id, activity_id, point_id,
	goods_amount, freight_amount, total_amount, currency, delivery, pickup_point_id, address, remark, fields,
	room_id, share_code, share_source, inviter_id, search_name, placed_ms, placed_from, pay_before_ms,
	paid_ms, cancelled_ms, reason`

const orderPlaceholders = `(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`

// insertOrders stores orders and their items with few statements (sqldb.Insert), and counts them. A number or task that is
// stored already is a duplicate key error (sqldb.IsDuplicate), one that would take its buyer over a
// purchase limit is errLimit, counts that another made at the same moment are errRaced; nothing of the batch remains
// once the caller rolls back.
func insertOrders(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	if len(orders) == 0 {
		return nil
	}
	args := make([]any, 0, len(orders)*30)
	itemArgs := make([]any, 0, len(orders)*8)
	for _, o := range orders {
		// As the driver's own types: it looks longer at others.
		args = append(args, int64(o.Number), o.User, o.Task, o.Digest, string(o.Type), string(o.Kind), string(o.Status), o.Shop,
			o.Activity, o.Point, o.GoodsAmount, o.FreightAmount, o.TotalAmount, o.Currency, string(o.Delivery), o.PickupPoint,
			o.Address, o.Remark, o.Fields, o.Room, o.ShareCode, o.ShareSource, o.Inviter, o.SearchName, o.PlacedMS, o.PlacedFrom, o.PayBeforeMS,
			o.PaidMS, o.CancelledMS, o.Reason)
		for line, it := range o.Items {
			itemArgs = append(itemArgs, int64(o.Number), int64(line+1), it.SKU, string(cmp.Or(it.Kind, o.Kind)), it.Title, it.ImageURL, it.Quantity, it.Price)
		}
	}
	if err := sqldb.Insert(ctx, tx, `INSERT INTO orders (`+orderColumns+`) VALUES`, orderPlaceholders, args); err != nil {
		return fmt.Errorf("insert %d orders: %w", len(orders), err)
	}
	const insertItems = `INSERT INTO order_items (order_number, line, sku_id, kind, title, image_url, quantity, price) VALUES`
	if err := sqldb.Insert(ctx, tx, insertItems, "(?,?,?,?,?,?,?,?)", itemArgs); err != nil {
		return fmt.Errorf("insert the items of %d orders: %w", len(orders), err)
	}
	if err := buy(ctx, tx, orders); err != nil {
		return err
	}
	return countNew(ctx, tx, orders)
}

// selectOrder reads one order with its items; an order that isn't there is sql.ErrNoRows.
func selectOrder(ctx context.Context, q sqlx.QueryerContext, n Number) (*Order, error) {
	var o Order
	if err := sqlx.GetContext(ctx, q, &o, `SELECT `+orderColumns+` FROM orders WHERE number = ?`, n); err != nil {
		return nil, fmt.Errorf("select order %s: %w", n, err)
	}
	if err := fillItems(ctx, q, []*Order{&o}); err != nil {
		return nil, err
	}
	return &o, nil
}

// fillItems reads the items of orders in one statement.
func fillItems(ctx context.Context, q sqlx.QueryerContext, orders []*Order) error {
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
	const columns = `SELECT order_number, line, sku_id, kind, title, image_url, quantity, price FROM order_items`
	query := columns + ` WHERE order_number IN (` + sqldb.In(len(args)) + `) ORDER BY order_number, line`
	if err := sqlx.SelectContext(ctx, q, &items, query, args...); err != nil {
		return fmt.Errorf("select items of %d orders: %w", len(orders), err)
	}
	for _, it := range items {
		o := byNumber[it.Order]
		it.Kind = cmp.Or(it.Kind, o.Kind) // older versions store items without one
		o.Items = append(o.Items, it)
	}
	return nil
}

// setStatus moves an order from one status to another by compare-and-set and says whether this
// call was the one that did. atMS is kept of an order that becomes paid.
func setStatus(ctx context.Context, tx *sqlx.Tx, n Number, from, to Status, atMS int64, reason string) (bool, error) {
	set, args := "status = ?, reason = ?", []any{to, reason}
	if to == Paid {
		set, args = set+", paid_ms = ?", append(args, atMS)
	}
	res, err := tx.ExecContext(ctx, `UPDATE orders SET `+set+` WHERE number = ? AND status = ?`, append(args, n, from)...)
	if err != nil {
		return false, fmt.Errorf("set order %s %s: %w", n, to, err)
	}
	changed, err := res.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("set order %s %s: %w", n, to, err)
	}
	return changed == 1, nil
}

// eventFailed is the line in the log of an order that failed; the order says why.
const eventFailed = "failed"

// addEvent appends a line to an order's log. The caller holds the order's row.
func addEvent(ctx context.Context, tx *sqlx.Tx, e Event) error {
	var last sql.NullInt64
	if err := tx.GetContext(ctx, &last, `SELECT MAX(seq) FROM order_events WHERE order_number = ?`, e.Order); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("select last event of order %s: %w", e.Order, err)
	}
	const insert = `INSERT INTO order_events (order_number, seq, at_ms, who, what, from_address) VALUES (?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, e.Order, last.Int64+1, e.AtMS, e.Actor, e.Action, e.ClientIP); err != nil {
		return fmt.Errorf("insert event of order %s: %w", e.Order, err)
	}
	return nil
}
