package stage

import (
	"cmp"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	ordercounts "onrush/modules/order/counts"
)

// QueueLine is the lane's queue.
func (s *Stage) QueueLine(t testing.TB) []string {
	t.Helper()
	line, err := s.Stores.Redis.LRange(context.WithoutCancel(t.Context()), s.Stores.Keys.Queue(s.Lane),
		0, -1).Result()
	require.NoError(t, err)
	return line
}

// Hash is one of the activity's hashes, such as keys.Stock.
func (s *Stage) Hash(t testing.TB, name func(lane int, activity string) string) map[string]string {
	t.Helper()
	values, err := s.Stores.Redis.HGetAll(context.WithoutCancel(t.Context()), name(s.Lane, s.Activity)).Result()
	require.NoError(t, err)
	return values
}

// Left returns the stock in Redis at a point, or in total if point is "".
func (s *Stage) Left(t testing.TB, point string) string {
	t.Helper()
	field := SKU
	if point != "" {
		field = lua.StockField(SKU, point)
	}
	return s.Hash(t, s.Stores.Keys.Stock)[field]
}

// Task returns Redis's value of an order's task, such as "S" or "F:no_stock".
func (s *Stage) Task(t testing.TB, o *order.Order) string {
	t.Helper()
	task, err := lua.ParseTask(s.Hash(t, s.Stores.Keys.Tasks)[order.TaskHash(o.Task)])
	require.NoError(t, err)
	require.Equal(t, o.Number.String(), task.Number)
	if task.Reason != "" {
		return string(task.State) + ":" + task.Reason
	}
	return string(task.State)
}

// orders returns the stage's orders in SQL.
func (s *Stage) orders(t testing.TB) []order.Stored {
	t.Helper()
	var all []order.Stored
	const query = `SELECT ` + order.StoredColumns + ` FROM orders WHERE activity_id = ?`
	require.NoError(t, s.Stores.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &all, query, s.Activity))
	return all
}

// Stored returns the states of the stage's orders in SQL, by number.
func (s *Stage) Stored(t testing.TB) map[order.Number]order.Status {
	t.Helper()
	stored := map[order.Number]order.Status{}
	for _, o := range s.orders(t) {
		stored[o.Number] = o.Status
	}
	return stored
}

// Sold is the counter of SQL over all points.
func (s *Stage) Sold(t testing.TB) int64 {
	t.Helper()
	var sold int64
	require.NoError(t, s.Stores.DB.Write.GetContext(context.WithoutCancel(t.Context()), &sold,
		`SELECT SUM(sold) FROM activity_stock WHERE activity_id = ?`, s.Activity))
	return sold
}

// SetStatus sets the status of a stored order as payments and refunds do, and nothing else.
func (s *Stage) SetStatus(t testing.TB, n order.Number, status order.Status) {
	t.Helper()
	_, err := s.Stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET status = ? WHERE number = ?`, status, n)
	require.NoError(t, err)
	_, err = s.Stores.DB.Write.ExecContext(t.Context(),
		`UPDATE activity_statuses SET unpaid = unpaid - 1, `+string(status)+` = `+string(status)+
			` + 1 WHERE activity_id = ? AND part = 0`, s.Activity)
	require.NoError(t, err)
}

// restocked returns which orders were restocked: they take no units, and count under no limit.
func (s *Stage) restocked(t testing.TB) map[order.Number]bool {
	t.Helper()
	var numbers []order.Number
	require.NoError(t, s.Stores.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &numbers,
		`SELECT order_number FROM order_log WHERE what = ?`, order.LoggedRestocked))
	restocked := make(map[order.Number]bool, len(numbers))
	for _, n := range numbers {
		restocked[n] = true
	}
	return restocked
}

// counted compares SQL's counts of the activity with its orders.
func (s *Stage) counted(t testing.TB) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	var want ordercounts.ByStatus
	bought := map[string]int64{}
	restocked := s.restocked(t)
	for _, o := range s.orders(t) {
		switch o.Status {
		case order.Unpaid:
			want.Unpaid++
		case order.Paid:
			want.Paid++
		case order.Refunded:
			want.Refunded++
		case order.Cancelled:
			want.Cancelled++
			continue
		case order.Failed:
			want.Failed++
			continue
		}
		if restocked[o.Number] {
			continue
		}
		buyer := cmp.Or(s.sale.limitKey(o.User), o.User)
		for counted, units := range lua.Counts(o.SKU, o.Quantity) {
			limit := s.sale.SKULimit
			switch counted {
			case lua.CountedAll:
				limit = s.sale.Limit
			case lua.CountedSKU(Set):
				limit = s.sale.BundleLimit
			}
			if limit >= 0 {
				bought[lua.BoughtField(counted, buyer)] += units
			}
		}
		if s.sale.Member != nil && s.sale.Member(o.User) {
			for sku, units := range lua.Takes(o.SKU, o.Quantity) {
				bought[lua.BoughtField(lua.CountedReserved(sku), o.Point)] += units
			}
		}
	}
	counts, err := ordercounts.Statuses(ctx, s.Stores.DB.Write, s.Activity)
	require.NoError(t, err)
	assert.Equal(t, want, counts, "counted by status")
	var rows []struct {
		Counted string `db:"counted"`
		Name    string `db:"name"`
		N       int64  `db:"n"`
	}
	require.NoError(t, s.Stores.DB.Write.SelectContext(ctx, &rows, `SELECT counted, name, n FROM activity_counts
		WHERE activity_id = ? AND n <> 0 AND counted <> 'room' AND counted <> 'share_source'`, s.Activity))
	counted := map[string]int64{}
	for _, r := range rows {
		counted[lua.BoughtField(r.Counted, r.Name)] = r.N
	}
	assert.Equal(t, bought, counted, "counted under the limits")
}

// Balanced requires that the audit has no drift, and that sold equals the sum of the orders in SQL.
func (s *Stage) Balanced(t testing.TB) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	audit, err := s.Auditor.Audit(ctx, s.Activity)
	require.NoError(t, err)
	assert.True(t, audit.OK, "%+v", audit)
	s.counted(t)
	restocked := s.restocked(t)
	units := map[string]int64{}
	for _, o := range s.orders(t) {
		if o.Status != order.Cancelled && o.Status != order.Failed && !restocked[o.Number] {
			for sku, n := range lua.Takes(o.SKU, o.Quantity) {
				units[lua.StockField(sku, o.Point)] += n
			}
		}
	}
	for _, item := range audit.Items {
		assert.Equal(t, units[lua.StockField(item.SKU, item.Point)], item.Sold, "sold at point %s", item.Point)
		assert.GreaterOrEqual(t, item.Remaining, int64(0), "left at point %s", item.Point)
	}
}
