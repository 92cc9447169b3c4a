package report

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/seckill"
)

// pageOrders is how many orders one statement adds up.
const pageOrders = 1000

// statuses are all statuses of an order.
var statuses = [...]order.Status{order.Unpaid, order.Paid, order.Cancelled, order.Refunded, order.Failed}

// cell adds up the orders of one sku, point, status and span.
type cell struct {
	SKU      string       `db:"sku_id"`
	Point    string       `db:"point_id"`
	Span     order.Number `db:"span"` // the lowest number of the span
	Orders   int64        `db:"orders"`
	Units    int64        `db:"units"`
	Amount   int64        `db:"amount"`
	Refunded int64        `db:"refunded"`
	Last     order.Number `db:"last"` // the highest number of these orders
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
		if err := eachCell(ctx, tx, order.Live, a.ID, status, every, page, add); err != nil {
			return err
		}
		if err := eachCell(ctx, tx, order.Archived, a.ID, status, every, page, add); err != nil {
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
	at(w.skus, c.SKU).Sums.add(status, c)
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

// cellsOf returns the statement that adds up a page of orders of a table (order.Live, order.Archived). Its arguments
// are the numbers of a span, the activity, the status, the last number of the page before, and the length of the page.
func cellsOf(table string) string {
	return `SELECT sku_id, point_id, number - number % ? AS span, COUNT(*) AS orders, SUM(quantity) AS units,
		SUM(total_amount) AS amount, SUM(refunded_amount) AS refunded, MAX(number) AS last
		FROM (SELECT number, sku_id, point_id, quantity, total_amount, refunded_amount FROM ` + table + `
			WHERE activity_id = ? AND status = ? AND number > ? ORDER BY number LIMIT ?) AS page
		GROUP BY sku_id, point_id, span`
}

// eachCell calls add with the orders of a status in a table, a page at a time.
func eachCell(
	ctx context.Context, tx *sqlx.Tx, table, activity string, status order.Status, every time.Duration, page int,
	add func(*cell),
) error {
	step := order.FirstNumberAt(order.Number(0).Time().Add(every))
	for last := order.Number(0); ; {
		var cells []cell
		if err := tx.SelectContext(ctx, &cells, cellsOf(table), step, activity, status, last, page); err != nil {
			return fmt.Errorf("add up orders of activity %s: %w", activity, err)
		}
		read := 0
		for i := range cells {
			add(&cells[i])
			last, read = max(last, cells[i].Last), read+int(cells[i].Orders)
		}
		if read < page {
			return nil
		}
	}
}
