package report

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/seckill"
)

// pageOrders is how many orders one statement reads.
const pageOrders = 1000

// statuses are all statuses of an order.
var statuses = [...]order.Status{order.Unpaid, order.Paid, order.Cancelled, order.Refunded, order.Failed}

// cell adds up orders of one sku, point, status and span.
type cell struct {
	Number   order.Number `db:"number"` // of one of them
	SKU      string       `db:"sku_id"`
	Point    string       `db:"point_id"`
	Units    int64        `db:"quantity"`
	Amount   int64        `db:"total_amount"`
	Refunded int64        `db:"refunded_amount"`
	Orders   int64        `db:"-"`
	Span     order.Number `db:"-"` // the lowest number of the span
}

// spanOf returns the length of the spans of a sale: a sale of a day has 24, and none has very many.
func spanOf(a *seckill.Activity) time.Duration {
	const long, short = 31 * 24 * time.Hour, 2 * time.Hour
	switch lasts := time.Duration(a.EndsMS-a.StartsMS) * time.Millisecond; {
	case lasts > long:
		return 24 * time.Hour
	case lasts > short:
		return time.Hour
	default:
		return time.Minute
	}
}

// walk adds up the stored orders of an activity, live and archived ones.
func (r *Report) walk(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity, page int) error {
	every := spanOf(a)
	w := newWalk(a)
	for _, status := range statuses {
		add := func(c *cell) { w.add(status, c) }
		if err := eachOrder(ctx, tx, order.Live, a.ID, status, every, page, add); err != nil {
			return err
		}
		if err := eachOrder(ctx, tx, order.Archived, a.ID, status, every, page, add); err != nil {
			return err
		}
	}
	r.OfferedUnits, r.Totals = w.all.OfferedUnits, w.all.Sums
	for _, g := range a.SKUs {
		r.SKUs = append(r.SKUs, SKU{g.SKU, g.Title, *w.skus[g.SKU]})
	}
	for _, point := range slices.Sorted(maps.Keys(w.points)) {
		r.Points = append(r.Points, Point{point, *w.points[point]})
	}
	r.Times = Times{EveryS: int64(every / time.Second), Items: []Span{}}
	for _, span := range slices.Sorted(maps.Keys(w.spans)) {
		r.Times.Items = append(r.Times.Items, Span{api.Millis(span.Time().UnixMilli()), *w.spans[span]})
	}
	return nil
}

// walked are the sums so far.
type walked struct {
	all    Part
	skus   map[string]*Part
	points map[string]*Part
	spans  map[order.Number]*Sums
}

func newWalk(a *seckill.Activity) *walked {
	w := &walked{skus: map[string]*Part{}, points: map[string]*Part{}, spans: map[order.Number]*Sums{}}
	for _, g := range a.SKUs {
		w.skus[g.SKU] = &Part{}
		for _, p := range g.Stock {
			for _, of := range []*Part{&w.all, w.skus[g.SKU], at(w.points, p.Point)} {
				of.OfferedUnits += p.Total
			}
		}
	}
	return w
}

func (w *walked) add(status order.Status, c *cell) {
	w.all.Sums.add(status, c)
	bundle, n := lua.Bundle(c.SKU)
	if bundle != "" {
		of := *c
		of.Units = n * c.Orders
		at(w.skus, bundle).Sums.add(status, &of)
	}
	if lua.IsBasket(c.SKU) { // whose amounts are of no sku alone, but for a bundle's
		for sku, units := range lua.Takes(c.SKU, c.Units) {
			at(w.skus, sku).Sums.add(status, &cell{Orders: c.Orders, Units: units * c.Orders})
		}
	} else {
		at(w.skus, c.SKU).Sums.add(status, c)
	}
	at(w.points, c.Point).Sums.add(status, c)
	at(w.spans, c.Span).add(status, c)
}

// at returns the value of a key, a new one if there is none.
func at[K comparable, V any](m map[K]*V, key K) *V {
	if m[key] == nil {
		m[key] = new(V)
	}
	return m[key]
}

// pageOf returns the statement that selects a page of orders of a table (order.Live, order.Archived). Its arguments are
// the activity, the status, the last number of the page before, and the length of the page. It adds nothing up, since
// MariaDB keeps groups by a text as long as sku_id may be on disk.
func pageOf(table string) string {
	return `SELECT number, sku_id, point_id, quantity, total_amount, refunded_amount FROM ` + table + `
		WHERE activity_id = ? AND status = ? AND number > ? ORDER BY number LIMIT ?`
}

// eachOrder calls add with each order of a status in a table, which it reads a page at a time.
func eachOrder(
	ctx context.Context, tx *sqlx.Tx, table, activity string, status order.Status, every time.Duration, page int,
	add func(*cell),
) error {
	step := order.FirstNumberAt(order.Number(0).Time().Add(every))
	for last := order.Number(0); ; {
		var orders []cell
		if err := tx.SelectContext(ctx, &orders, pageOf(table), activity, status, last, page); err != nil {
			return fmt.Errorf("read orders of activity %s: %w", activity, err)
		}
		for i := range orders {
			o := &orders[i]
			o.Orders, o.Span, last = 1, o.Number-o.Number%step, o.Number
			add(o)
		}
		if len(orders) < page {
			return nil
		}
	}
}
