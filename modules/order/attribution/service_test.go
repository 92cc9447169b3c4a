package attribution

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/order/sources"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

// testNow is some minutes after a midnight of UTC.
var testNow = time.Date(2026, 3, 30, 0, 20, 0, 0, time.UTC)

// The sums are those of the orders one by one: whatever their states, currencies and tables are, and with more values
// than a list names.
func TestSumsAreThoseOfTheOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		random := rand.New(rand.NewPCG(42, 0))
		orders := randomOrders(t, stores.DB, random, 150)
		service := NewService(stores.DB, func() time.Time { return testNow })
		service.maxValues = 4
		for range 40 {
			q := randomQuery(random)
			currency := []string{"", "CNY", "EUR", "USD"}[random.IntN(4)]
			for _, sort := range []string{ByNet, ByOrders} {
				got, err := service.List(t.Context(), q, sort, currency)
				require.NoError(t, err)
				checkList(t, got, plainly(orders, q, func(_ time.Time, value string) string { return value }), currency)
			}
			zone, err := time.LoadLocation([]string{"UTC", "Asia/Kathmandu", "Europe/Berlin"}[random.IntN(3)])
			require.NoError(t, err)
			days, err := service.Days(t.Context(), q, zone)
			require.NoError(t, err)
			sums := plainly(orders, q, func(at time.Time, _ string) string { return at.In(zone).Format("2006-01-02") })
			require.Len(t, days, len(sums))
			for i, day := range days {
				assert.Equal(t, *sums[day.Day], day.Sums)
				assert.True(t, i == 0 || days[i-1].Day < day.Day)
			}
		}
	})
}

// checkList compares a list with the sums of all values.
func checkList(t *testing.T, got *List, want map[string]*Sums, currency string) {
	t.Helper()
	total := Sums{Amounts: []Amount{}}
	for _, s := range want {
		total = plus(total, *s)
	}
	assert.Equal(t, total, got.Total)
	assert.EqualValues(t, len(want), got.Values)
	if currency == "" {
		currency = got.Currency
		for _, a := range total.Amounts {
			own, _ := amountIn(total, currency)
			assert.True(t, got.Sort == ByOrders || own.PaidOrders >= a.PaidOrders)
		}
	}
	type ranked struct {
		value string
		rank  int64
	}
	var all []ranked
	for value, s := range want {
		if a, is := amountIn(*s, currency); got.Sort == ByOrders {
			all = append(all, ranked{value, s.Orders})
		} else if is {
			all = append(all, ranked{value, a.Net})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		if a.rank != b.rank {
			return int(b.rank - a.rank)
		}
		return strings.Compare(a.value, b.value)
	})
	require.Len(t, got.Items, min(4, len(all)))
	rest := got.Others
	for i, item := range got.Items {
		assert.Equal(t, all[i].value, item.Value)
		assert.Equal(t, *want[item.Value], item.Sums)
		rest = plus(rest, item.Sums)
	}
	assert.Equal(t, total, rest, "the items and the others are the total")
}

func amountIn(s Sums, currency string) (a Amount, is bool) {
	i := slices.IndexFunc(s.Amounts, func(a Amount) bool { return a.Currency == currency })
	if i < 0 {
		return a, false
	}
	return s.Amounts[i], true
}

func plus(a, b Sums) Sums {
	a.Orders, a.Amounts = a.Orders+b.Orders, append([]Amount{}, a.Amounts...)
	for _, x := range b.Amounts {
		i := slices.IndexFunc(a.Amounts, func(has Amount) bool { return has.Currency == x.Currency })
		if i < 0 {
			a.Amounts = append(a.Amounts, x)
			continue
		}
		has := &a.Amounts[i]
		*has = Amount{
			x.Currency, has.PaidOrders + x.PaidOrders, has.Paid + x.Paid, has.Refunded + x.Refunded, has.Net + x.Net,
		}
	}
	slices.SortFunc(a.Amounts, func(a, b Amount) int { return strings.Compare(a.Currency, b.Currency) })
	return a
}

// plainly adds up the orders of a query one by one.
func plainly(orders []order.Order, q Query, key func(at time.Time, value string) string) map[string]*Sums {
	sums := map[string]*Sums{}
	for i := range orders {
		o := &orders[i]
		value := map[string]string{
			"room_id": o.Room, "share_code": o.ShareCode, "share_source": o.ShareSource, "inviter_id": o.Inviter,
		}[q.By]
		at := o.Number.Time()
		if value == "" || q.Value != "" && value != q.Value || q.Shop != "" && o.Shop != q.Shop ||
			q.Activity != "" && o.Activity != q.Activity || at.Before(q.From.Time()) || !at.Before(q.To.Time()) {
			continue
		}
		k := key(at, value)
		if sums[k] == nil {
			sums[k] = &Sums{Amounts: []Amount{}}
		}
		s := Sums{Orders: 1}
		if o.PaidMS > 0 {
			s.Amounts = []Amount{{o.Currency, 1, o.TotalAmount, o.RefundedAmount, o.TotalAmount - o.RefundedAmount}}
		}
		*sums[k] = plus(*sums[k], s)
	}
	return sums
}

func randomQuery(random *rand.Rand) Query {
	q := Query{
		By:       Names[random.IntN(len(Names))],
		Shop:     []string{"", "", "shop-0", "shop-1", "nobody"}[random.IntN(5)],
		Activity: []string{"", "", "sale-0", "sale-1"}[random.IntN(4)],
		To:       api.Millis(testNow.UnixMilli()),
	}
	if random.IntN(3) == 0 {
		q.Value = fmt.Sprint("v", random.IntN(9))
	}
	q.From = q.To - api.Millis((time.Duration(1+random.IntN(100)) * time.Hour).Milliseconds())
	return q
}

// randomOrders stores orders of two sales and ordinary ones, a third of them in the archive.
func randomOrders(t *testing.T, db *sqldb.DB, random *rand.Rand, n int) []order.Order {
	t.Helper()
	exec := func(query string, args ...any) {
		_, err := db.Write.ExecContext(t.Context(), query, args...)
		require.NoError(t, err)
	}
	var orders []order.Order
	value := func() string { return []string{"", fmt.Sprint("v", random.IntN(9))}[random.IntN(2)] }
	for i := range n {
		at := testNow.Add(-time.Duration(random.Int64N(int64(100 * time.Hour))))
		shop := random.IntN(2)
		o := order.Order{
			Number: order.NewNumber(at, 1, uint32(i)), Task: fmt.Sprint("task-", i),
			Content: order.Content{
				Type: order.Seckill, Shop: fmt.Sprint("shop-", shop), Activity: fmt.Sprint("sale-", shop),
				Currency: []string{"CNY", "EUR"}[shop], TotalAmount: random.Int64N(10),
				Items: []order.Item{{SKU: "sku", Quantity: 1}},
				Room:  value(), ShareCode: value(), ShareSource: value(), Inviter: value(),
			},
		}
		if random.IntN(3) == 0 {
			o.Type, o.Activity, o.Currency = order.Ordinary, "", []string{"CNY", "EUR", "USD"}[random.IntN(3)]
		}
		o.Status = []order.Status{
			order.Unpaid, order.Paid, order.Paid, order.Refunded, order.Cancelled, order.Failed,
		}[random.IntN(6)]
		if o.Status == order.Paid || o.Status == order.Refunded {
			o.PaidMS = at.UnixMilli() + 5000
			o.RefundedAmount = random.Int64N(o.TotalAmount + 1)
			if o.Status == order.Refunded {
				o.RefundedAmount = o.TotalAmount
			}
		}
		insert(t, db, o)
		exec(`UPDATE orders SET status = ?, paid_ms = ?, refunded_amount = ? WHERE number = ?`,
			o.Status, o.PaidMS, o.RefundedAmount, o.Number)
		orders = append(orders, o)
	}
	require.NoError(t, stage.Archive(t.Context(), db, `number % 3 = 0`))
	fill(t, db)
	return orders
}

// insert stores an order and its labels, as older versions do, without sources.
func insert(t *testing.T, db *sqldb.DB, o order.Order) {
	t.Helper()
	require.NoError(t, stage.Insert(t.Context(), db, o))
	for _, label := range order.Labels() {
		if value := label.Of(&o.Content); value != "" {
			_, err := db.Write.ExecContext(t.Context(),
				`INSERT INTO order_labels (name, value, number) VALUES (?, ?, ?)`, label.Name, value, o.Number)
			require.NoError(t, err)
		}
	}
}

// fill writes the sources of all orders.
func fill(t *testing.T, db *sqldb.DB) (written int) {
	t.Helper()
	written, err := NewFiller(FillerConfig{Page: 7, PagesPerRun: 1000}, db, time.Now).RunOnce(t.Context())
	require.NoError(t, err)
	return written
}

// A crowd of invented values makes no list longer, and more orders than one request adds up are refused.
func TestInventedValuesAreOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for i := range 60 {
			o := order.Order{
				Number: order.NewNumber(testNow, 1, uint32(i)), Task: fmt.Sprint(i),
				Content: order.Content{ShareCode: fmt.Sprintf("invented-%02d", i)},
			}
			if i < 10 {
				o.ShareCode = "real"
			}
			insert(t, stores.DB, o)
		}
		fill(t, stores.DB)
		s := NewService(stores.DB, func() time.Time { return testNow })
		s.maxValues, s.maxOrders = 3, 60
		q := Query{By: "share_code", From: api.Millis(testNow.UnixMilli()), To: api.Millis(testNow.UnixMilli() + 1000)}
		l, err := s.List(t.Context(), q, ByOrders, "")
		require.NoError(t, err)
		values := make([]string, len(l.Items))
		for i, item := range l.Items {
			values[i] = item.Value
		}
		assert.Equal(t, []string{"real", "invented-10", "invented-11"}, values)
		assert.EqualValues(t, 51, l.Values)
		assert.EqualValues(t, 48, l.Others.Orders)
		assert.EqualValues(t, 60, l.Total.Orders)
		s.maxOrders = 59
		_, err = s.Days(t.Context(), q, time.UTC)
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
		_, err = s.List(t.Context(), q, ByOrders, "")
		require.NoError(t, err, "the list is kept")
	})
}

// Operators wait for each other, but not for ever.
func TestOrdersAreAddedUpByOneRequestAtATime(t *testing.T) {
	t.Parallel()
	s := NewService(nil, time.Now)
	end, err := s.begin(t.Context())
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.begin(ended)
	assert.Equal(t, problem.CodeOverloaded, problem.CodeOf(err))
	end()
	_, err = s.begin(t.Context())
	require.NoError(t, err)
}

// A page begins behind the value of the cursor, and behind all values of its rank once the value is elsewhere.
func TestPagesFollowTheirCursors(t *testing.T) {
	t.Parallel()
	values := []Value{{Value: "a", rank: 9}, {Value: "b", rank: 7}, {Value: "c", rank: 7}, {Value: "d", rank: -1}}
	assert.Equal(t, 0, start(values, nil))
	for i := range values {
		assert.Equal(t, i+1, start(values, values[i].key()))
	}
	gone := Value{Value: "gone", rank: 7}
	assert.Equal(t, 3, start(values, gone.key()))
	gone.rank = 8
	assert.Equal(t, 1, start(values, gone.key()))
	assert.Equal(t, 4, start(values, []string{"no number", ""}))
}

// A span is read from the rows of its time only.
func TestASpanIsReadFromAnIndex(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		randomOrders(t, stores.DB, rand.New(rand.NewPCG(7, 0)), 150)
		if stores.DB.Dialect == sqldb.MySQL {
			_, err := stores.DB.Write.ExecContext(t.Context(), `ANALYZE TABLE order_sources`)
			require.NoError(t, err)
		}
		to := api.Millis(testNow.UnixMilli())
		q := Query{By: "room_id", From: to - api.Millis(time.Hour.Milliseconds()), To: to}
		index := "PRIMARY"
		if stores.DB.Dialect == sqldb.SQLite {
			index = "SEARCH order_sources USING"
		}
		for _, read := range []func() (string, []any){
			func() (string, []any) { return q.counted(maxOrders) },
			func() (string, []any) { return q.grouped("room_id") },
		} {
			query, args := read()
			plan := kit.Explain(t, stores.DB, query, args...)
			assert.Contains(t, plan, index, "%s", plan)
		}
	})
}

// The bound on the orders of a query counts no orders that the query doesn't add up, such as those of other shops.
func TestOnlyTheOrdersOfAQueryAreCounted(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	randomOrders(t, stores.DB, rand.New(rand.NewPCG(11, 0)), 40)
	q := Query{By: "room_id", To: api.Millis(testNow.UnixMilli()), Shop: "no such shop"}
	for shop, some := range map[string]bool{"": true, q.Shop: false} {
		q.Shop = shop
		var orders int
		query, args := q.counted(maxOrders)
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &orders, query, args...))
		assert.Equal(t, some, orders > 0)
	}
}

// Whatever an older version has stored, paid, refunded or erased meanwhile, 48 runs at once write it, and a later
// run finds nothing.
func TestSourcesOfOlderVersionsAreFilled(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		random := rand.New(rand.NewPCG(9, 0))
		orders := randomOrders(t, stores.DB, random, 40)
		assert.Zero(t, fill(t, stores.DB))
		for _, statement := range []string{
			`DELETE FROM order_sources WHERE number % 4 = 0`,
			`UPDATE order_sources SET paid = 1 - paid WHERE number % 4 = 1`,
			`UPDATE order_sources SET refunded_amount = refunded_amount + 1 WHERE number % 4 = 2`,
			`UPDATE order_sources SET inviter_id = 'erased by an older version' WHERE inviter_id <> ''`,
		} {
			_, err := stores.DB.Write.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		ctx := context.WithoutCancel(t.Context())
		kit.AtOnce(48, func(int) error {
			_, err := NewFiller(FillerConfig{PagesPerRun: 1000}, stores.DB, time.Now).RunOnce(ctx)
			return err
		})
		fill(t, stores.DB) // those that were locked
		assert.Zero(t, fill(t, stores.DB))
		var rows []sources.Row
		require.NoError(t, stores.DB.Read.SelectContext(ctx, &rows, `SELECT * FROM order_sources ORDER BY number`))
		var want []sources.Row
		slices.SortFunc(orders, func(a, b order.Order) int { return int(a.Number - b.Number) })
		for i := range orders {
			if o := &orders[i]; o.Room+o.ShareCode+o.ShareSource+o.Inviter != "" {
				want = append(want, o.Source())
			}
		}
		assert.Equal(t, want, rows)
	})
}

// A filler that has read all labels rests, unless the clock is set back.
func TestTheFillerRests(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(testNow)
		filler := NewFiller(FillerConfig{Page: 1, PagesPerRun: 3}, stores.DB, clock.Now)
		run := func() int {
			n, err := filler.RunOnce(t.Context())
			require.NoError(t, err)
			return n
		}
		for i := range 5 {
			insert(t, stores.DB, order.Order{
				Number: order.NewNumber(testNow, 1, uint32(i)), Task: fmt.Sprint(i),
				Content: order.Content{ShareSource: fmt.Sprint("from ", i)},
			})
		}
		written := []int{run(), run(), run(), run()}
		assert.Equal(t, []int{1, 3, 1, 0}, written, "the pages of the other labels are empty")
		_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM order_sources`)
		require.NoError(t, err)
		clock.Advance(6*time.Hour - time.Second)
		assert.Zero(t, run())
		clock.Advance(time.Second)
		assert.Equal(t, 1, run())
	})
}
