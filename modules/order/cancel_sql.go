package order

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order/versions"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

var (
	// errNotUnpaid says that at least one of the orders is no longer unpaid, or not due.
	errNotUnpaid = errors.New("an order is no longer unpaid")
	// errNoSuchStock says that the stock that an order took from doesn't exist.
	errNoSuchStock = errors.New("the stock does not exist")
)

// anyTime is a time by which every order is due.
const anyTime = math.MaxInt64

// cancel moves orders that are due by dueMS from unpaid to cancelled in tx, all or none: the
// orders, their log, their events, their stock and the outbox change together. If one of them is no longer unpaid,
// the error is errNotUnpaid and the caller must roll back.
func (c Changed) cancel(
	ctx context.Context, tx *sqlx.Tx, orders []*Order, atMS, dueMS int64, reason string, e LogLine,
) error {
	args := make([]any, 0, len(orders)+4)
	args = append(args, string(Cancelled), atMS, reason, dueMS)
	for _, o := range orders {
		args = append(args, int64(o.Number))
	}
	res, err := tx.ExecContext(ctx, `UPDATE orders SET status = ?, cancelled_ms = ?, reason = ?
		WHERE status = 'unpaid' AND pay_before_ms <= ? AND number IN (`+sqldb.In(len(orders))+`)`, args...)
	if err != nil {
		return fmt.Errorf("cancel %d orders: %w", len(orders), err)
	}
	changed, err := res.RowsAffected()
	switch {
	case err != nil:
		return fmt.Errorf("cancel %d orders: %w", len(orders), err)
	case changed != int64(len(orders)):
		return errNotUnpaid
	}
	e.AtMS, e.Action = atMS, "cancelled"
	if err := addLogLines(ctx, tx, orders, e); err != nil {
		return err
	}
	seckill, skus, err := taken(orders) // also whether their records could be read
	if err != nil {
		return err
	}
	now := orders
	if c != nil {
		now = make([]*Order, len(orders))
		for i, o := range orders {
			cancelled := *o
			cancelled.Status, cancelled.CancelledMS, cancelled.Reason = Cancelled, atMS, reason
			now[i] = &cancelled
		}
	}
	if err := c.writeStatuses(ctx, tx, journal.OrderCancelled, atMS, now...); err != nil {
		return err
	}
	if err := Unbuy(ctx, tx, seckill, sourcesOf(seckill)); err != nil {
		return err
	}
	if err := countChange(ctx, tx, seckill, Unpaid, Cancelled); err != nil {
		return err
	}
	if err := giveBackOrdinary(ctx, tx, skus); err != nil {
		return err
	}
	if err := giveBackSeckill(ctx, tx, seckill, atMS); err != nil {
		return err
	}
	return raiseVersionsOf(ctx, tx, orders...)
}

// taken returns the flash sale orders, and the units that the other orders took, by sku.
func taken(orders []*Order) (seckill []*Order, skus map[string]int64, err error) {
	skus = map[string]int64{}
	for _, o := range orders {
		if len(o.Items) == 0 {
			return nil, nil, fmt.Errorf("give back what order %s took: %w: it has no items", o.Number, errNoSuchStock)
		}
		if o.Type == Seckill {
			seckill = append(seckill, o)
			continue
		}
		for _, it := range o.Items {
			skus[it.SKU] += it.Quantity
		}
	}
	return seckill, skus, nil
}

func giveBackOrdinary(ctx context.Context, tx *sqlx.Tx, skus map[string]int64) error {
	for _, sku := range slices.Sorted(maps.Keys(skus)) {
		if _, err := tx.ExecContext(ctx, `UPDATE skus SET stock = stock + ?, stock_version = stock_version + 1
			WHERE sku_id = ?`,
			skus[sku], sku); err != nil {
			return fmt.Errorf("give back %d of %s: %w", skus[sku], sku, err)
		}
	}
	return nil
}

// giveBackSeckill lowers the units sold in SQL, and writes the returns for Redis to the outbox.
func giveBackSeckill(ctx context.Context, tx *sqlx.Tx, orders []*Order, atMS int64) error {
	if len(orders) == 0 {
		return nil
	}
	if err := lowerSold(ctx, tx, orders); err != nil {
		return err
	}
	return enqueueStocks(ctx, tx, OutboxReturn, orders, "", atMS)
}

// lowerSold subtracts the units of orders of sales from the units sold in SQL.
func lowerSold(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	units := map[StockKey]int64{}
	for _, o := range orders {
		o.AddTo(units)
	}
	met, err := AddSold(ctx, tx, units, "sold = sold -", nil)
	switch {
	case err != nil:
		return fmt.Errorf("give back: %w", err)
	case met != int64(len(units)):
		return fmt.Errorf("give back units of %d skus: %w: %d have none", len(units), errNoSuchStock,
			int64(len(units))-met)
	}
	return nil
}

// addLogLines appends the same line to the log of each order. The caller must hold locks on the orders' rows.
func addLogLines(ctx context.Context, tx *sqlx.Tx, orders []*Order, e LogLine) error {
	numbers := make([]any, len(orders))
	for i, o := range orders {
		numbers[i] = int64(o.Number)
	}
	var known []struct {
		Order Number `db:"order_number"`
		Seq   int    `db:"seq"`
	}
	query := `SELECT order_number, MAX(seq) AS seq FROM order_log WHERE order_number IN (` + sqldb.In(len(numbers)) +
		`) GROUP BY order_number`
	if err := tx.SelectContext(ctx, &known, query, numbers...); err != nil {
		return fmt.Errorf("select last log lines of %d orders: %w", len(orders), err)
	}
	last := make(map[Number]int, len(known))
	for _, k := range known {
		last[k.Order] = k.Seq
	}
	args := make([]any, 0, len(orders)*logColumns.Len())
	e.TraceID = tracing.ID(ctx)
	for _, o := range orders {
		e.Order, e.Seq = o.Number, last[o.Number]+1
		args = logColumns.AppendTo(args, &e)
	}
	if err := logColumns.Insert(ctx, tx, "order_log", args); err != nil {
		return fmt.Errorf("insert log lines of %d orders: %w", len(orders), err)
	}
	return nil
}

// raiseVersionsOf raises the versions of the buyers of orders.
func raiseVersionsOf(ctx context.Context, tx *sqlx.Tx, orders ...*Order) error {
	users := make([]string, len(orders))
	for i, o := range orders {
		users[i] = o.User
	}
	return versions.Raise(ctx, tx, users...)
}
