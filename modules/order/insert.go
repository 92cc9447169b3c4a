package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/order/receiver"
	"onrush/modules/sqldb"
)

// row is an order in SQL: its record, and what a filter, a sorted list, a lock, a change of the state or a join reads.
type row struct {
	Number         Number         `db:"number"`
	User           string         `db:"user_id"`
	Task           string         `db:"task_id"`
	Digest         string         `db:"digest"`
	Type           Type           `db:"type"`
	Kind           catalogue.Kind `db:"kind"`
	Status         Status         `db:"status"`
	Shop           string         `db:"shop_id"`
	Activity       string         `db:"activity_id"`
	Point          string         `db:"point_id"`
	SKU            string         `db:"sku_id"`   // of an order of a sale, as of lua.JoinTakes
	Quantity       int64          `db:"quantity"` // of an order of a sale
	TotalAmount    int64          `db:"total_amount"`
	SearchName     string         `db:"search_name"`
	PayBeforeMS    int64          `db:"pay_before_ms"`
	PaidMS         int64          `db:"paid_ms"`
	CancelledMS    int64          `db:"cancelled_ms"`
	Reason         string         `db:"reason"`
	RefundedAmount int64          `db:"refunded_amount"`
	Record         string         `db:"record"`
	ReceiverPhone  string         `db:"receiver_phone"`
	ReceiverName   string         `db:"receiver_name"`
}

// set makes r the row of an order.
func (r *row) set(o *Order) (err error) {
	record := o.record
	if record == nil {
		if record, err = encodeRecord(o); err != nil {
			return err
		}
	}
	*r = row{
		Number: o.Number, User: o.User, Task: o.Task, Digest: o.Digest, Type: o.Type, Kind: o.Kind, Status: o.Status,
		Shop: o.Shop, Activity: o.Activity, Point: o.Point, TotalAmount: o.TotalAmount, SearchName: SearchName(o),
		PayBeforeMS: int64(o.PayBefore), PaidMS: o.PaidMS, CancelledMS: o.CancelledMS, Reason: o.Reason,
		RefundedAmount: o.RefundedAmount, Record: string(record),
	}
	if o.Type == Seckill && len(o.Items) > 0 {
		r.SKU, r.Quantity = o.Takes()
	}
	r.ReceiverPhone, r.ReceiverName = receiver.Of(o.Address)
	return nil
}

// itemRow is an item in SQL.
type itemRow struct {
	Order    Number         `db:"order_number"`
	Line     int            `db:"line"`
	SKU      string         `db:"sku_id"`
	Kind     catalogue.Kind `db:"kind"`
	Quantity int64          `db:"quantity"`
}

// The columns of an order, of an item and of a line of the log are the fields of their structs.
var (
	columns     = sqldb.ColumnsOf[row]()
	itemColumns = sqldb.ColumnsOf[itemRow]()
	logColumns  = sqldb.ColumnsOf[LogLine]()
)

// Insert inserts orders as Write does, and counts them as Count does. After an error the caller must roll back.
func Insert(ctx context.Context, tx *sqlx.Tx, orders []*Order, changed Changed) error {
	if err := Write(ctx, tx, orders, changed); err != nil {
		return err
	}
	return Count(ctx, tx, orders)
}

// Write inserts orders in few statements (sqldb.Insert), writes their events, and calls changed. It locks no rows that
// other orders share. The error is a duplicate key (sqldb.IsDuplicate) for a number or task that is stored already.
func Write(ctx context.Context, tx *sqlx.Tx, orders []*Order, changed Changed) error {
	if len(orders) == 0 {
		return nil
	}
	if err := InsertRows(ctx, tx, orders); err != nil {
		return err
	}
	// An order of a sale of one item is found by its columns; its item gets a row when units are refunded.
	several := slices.DeleteFunc(slices.Clone(orders), func(o *Order) bool {
		return o.Type == Seckill && len(o.Items) == 1
	})
	if err := insertItems(ctx, tx, several...); err != nil {
		return err
	}
	if err := insertLabels(ctx, tx, orders); err != nil {
		return err
	}
	if err := forgetInviters(ctx, tx, orders); err != nil {
		return err
	}
	return changed.writePlaced(ctx, tx, orders)
}

// Count counts orders that Write inserted in the same transaction. Errors: ErrLimit for an order that would exceed a
// purchase limit, ErrRaced if another transaction inserted a count at the same time.
func Count(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	if len(orders) == 0 {
		return nil
	}
	if err := Buy(ctx, tx, orders, sourcesOf(orders)); err != nil {
		return err
	}
	if err := countNew(ctx, tx, orders); err != nil {
		return err
	}
	// An order of a sale that was not refused is in its buyer's list already, as unpaid, from Redis. So only ordinary
	// orders, and those that failed, change a list here.
	return raiseVersionsOf(ctx, tx, slices.DeleteFunc(slices.Clone(orders), func(o *Order) bool {
		return o.Type == Seckill && o.Status != Failed
	})...)
}

// InsertRows inserts nothing but the rows of orders in the table orders.
func InsertRows(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	args := make([]any, 0, len(orders)*columns.Len())
	var r row // one variable for all, so that no row escapes to the heap
	for _, o := range orders {
		if err := r.set(o); err != nil {
			return err
		}
		args = columns.AppendTo(args, &r)
	}
	if err := columns.Insert(ctx, tx, "orders", args); err != nil {
		return fmt.Errorf("insert %d orders: %w", len(orders), err)
	}
	return nil
}

// insertItems inserts the items of orders, and before them, as line 0, the bundles whose parts they are.
func insertItems(ctx context.Context, tx *sqlx.Tx, orders ...*Order) error {
	var args []any
	var r itemRow
	for _, o := range orders {
		if b := o.Bundle; b != nil { // so that the order is found by it
			r = itemRow{Order: o.Number, SKU: b.SKU, Kind: o.Kind, Quantity: b.Quantity}
			args = itemColumns.AppendTo(args, &r)
		}
		for i := range o.Items {
			it := &o.Items[i]
			r = itemRow{Order: o.Number, Line: i + 1, SKU: it.SKU, Kind: it.Kind, Quantity: it.Quantity}
			args = itemColumns.AppendTo(args, &r)
		}
	}
	if len(args) == 0 {
		return nil
	}
	if err := itemColumns.Insert(ctx, tx, "order_items", args); err != nil {
		return fmt.Errorf("insert the items of %d orders: %w", len(orders), err)
	}
	return nil
}
