package report

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/stage"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// twoSKUs is a sale of two skus at two points that begins at noon.
func twoSKUs(lasts time.Duration) *seckill.Activity {
	a := &seckill.Activity{ID: "sale", StartsMS: noon.UnixMilli(), EndsMS: noon.Add(lasts).UnixMilli()}
	for i, sku := range []string{"lamp", "tent"} {
		a.SKUs = append(a.SKUs, seckill.ActivitySKU{SKU: sku, Title: sku, Stock: []seckill.PointStock{
			{Point: "0", Total: 100}, {Point: "north", Total: int64(10 * i)},
		}})
	}
	return a
}

// insert stores n orders of the sale, one every 37 seconds, of all statuses, and as many of another sale.
func insert(t *testing.T, s *kit.Stores, n int) (orders []order.Order) {
	t.Helper()
	for i := range n {
		o := order.Order{
			Number: order.NewNumber(noon.Add(time.Duration(i)*37*time.Second), 1, uint32(i)), User: fmt.Sprint("u", i),
			Task: fmt.Sprint("1~sale~h", i), Status: statuses[i%len(statuses)],
			Content: order.Content{
				Activity: "sale", Point: []string{"0", "north"}[i/2%2], TotalAmount: int64(1000 + i),
				Items: []order.Item{{SKU: []string{"lamp", "tent"}[i%2], Quantity: int64(1 + i%3)}},
			},
		}
		switch o.Status {
		case order.Paid:
			o.RefundedAmount = int64(i % 4)
		case order.Refunded:
			o.RefundedAmount = o.TotalAmount
		case order.Unpaid, order.Cancelled, order.Failed:
		}
		orders = append(orders, o)
		require.NoError(t, stage.Insert(t.Context(), s.DB, o))
		o.Activity, o.Task, o.Number = "other", fmt.Sprint("1~other~h", i), o.Number+1<<20
		require.NoError(t, stage.Insert(t.Context(), s.DB, o))
	}
	return orders
}

// sumsOf adds up the orders that meet a condition.
func sumsOf(orders []order.Order, meets func(*order.Order) bool) (s Sums) {
	for i := range orders {
		o := &orders[i]
		if !meets(o) {
			continue
		}
		units := o.Items[0].Quantity
		s.Orders++
		switch o.Status {
		case order.Unpaid:
			s.UnpaidOrders, s.UnpaidUnits = s.UnpaidOrders+1, s.UnpaidUnits+units
			s.UnpaidAmount += o.TotalAmount
		case order.Cancelled:
			s.CancelledOrders, s.CancelledUnits = s.CancelledOrders+1, s.CancelledUnits+units
			s.CancelledAmount += o.TotalAmount
		case order.Failed:
			s.FailedOrders++
		case order.Paid, order.Refunded:
			s.PaidOrders, s.PaidUnits, s.PaidAmount = s.PaidOrders+1, s.PaidUnits+units, s.PaidAmount+o.TotalAmount
			s.RefundedAmount += o.RefundedAmount
			if o.Status == order.Refunded {
				s.RefundedOrders++
			}
		}
	}
	s.NetAmount = s.PaidAmount - s.RefundedAmount
	return s
}

// sumsAt adds up the orders that have a value.
func sumsAt(orders []order.Order, value string, of func(*order.Order) string) Sums {
	return sumsOf(orders, func(o *order.Order) bool { return of(o) == value })
}

func skuOf(o *order.Order) string   { return o.Items[0].SKU }
func pointOf(o *order.Order) string { return o.Point }

func TestThePartsOfAReportAreTheSumsOfItsOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		orders := insert(t, s, 60)
		require.NoError(t, stage.Archive(t.Context(), s.DB, `activity_id = 'sale' AND number % 3 = 0`))
		for _, lasts := range []time.Duration{time.Hour, 24 * time.Hour, 40 * 24 * time.Hour} {
			for _, page := range []int{1, 7, 12, 1000} {
				a, r := twoSKUs(lasts), &Report{}
				require.NoError(t, s.DB.InView(t.Context(), func(tx *sqlx.Tx) error {
					return r.walk(t.Context(), tx, a, page)
				}))
				assert.Equal(t, sumsOf(orders, func(*order.Order) bool { return true }), r.Totals)
				assert.EqualValues(t, 210, r.OfferedUnits)
				require.Len(t, r.SKUs, 2)
				for i, offered := range []int64{100, 110} {
					sku := r.SKUs[i]
					assert.Equal(t, sumsAt(orders, sku.ID, skuOf), sku.Sums)
					assert.Equal(t, offered, sku.OfferedUnits)
				}
				require.Len(t, r.Points, 2)
				for i, offered := range []int64{200, 10} {
					point := r.Points[i]
					assert.Equal(t, sumsAt(orders, point.ID, pointOf), point.Sums)
					assert.Equal(t, offered, point.OfferedUnits)
				}
				requireSpans(t, orders, r, spanOf(a))
			}
		}
	})
}

// requireSpans compares the spans of a report with its orders.
func requireSpans(t *testing.T, orders []order.Order, r *Report, every time.Duration) {
	t.Helper()
	var spans []api.Millis
	for i := range orders {
		begin := api.Millis(orders[i].Number.Time().Truncate(every).UnixMilli())
		if !slices.Contains(spans, begin) {
			spans = append(spans, begin)
		}
	}
	require.Equal(t, int64(every/time.Second), r.Times.EveryS)
	require.Len(t, r.Times.Items, len(spans))
	for i, span := range r.Times.Items {
		require.Equal(t, spans[i], span.At)
		assert.Equal(t, sumsOf(orders, func(o *order.Order) bool {
			return api.Millis(o.Number.Time().Truncate(every).UnixMilli()) == span.At
		}), span.Sums)
	}
}

// A page is read from the index in its order, so that its cost doesn't depend on how many orders there are.
func TestPagesAreReadFromAnIndex(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		insert(t, s, 100)
		for table, index := range map[string]string{
			order.Live: "orders_activity_status", order.Archived: "orders_archive_activity",
		} {
			plan := kit.Explain(t, s.DB, pageOf(table), "sale", order.Paid, 0, 10)
			assert.Contains(t, plan, index)
		}
	})
}
