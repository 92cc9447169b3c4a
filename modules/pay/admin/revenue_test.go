package admin

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

// A shop earns the parts of payments that paid its orders.
func TestRevenueOfAShopIsThatOfItsOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		l := newLedger(stores)
		paidMS := testNow.Add(-3 * time.Hour).UnixMilli()
		require.NoError(t, l.add(t.Context(), 1, "paid", "bank", ""))
		_, err := stores.DB.Write.ExecContext(t.Context(),
			`UPDATE payments SET paid_ms = ?, amount = 111, earned = 11 WHERE pay_number = ?`, paidMS, numberAt(1))
		require.NoError(t, err)
		for i, o := range []order.Order{
			{Content: order.Content{Shop: "one", TotalAmount: 1}, PaidMS: paidMS},
			{Content: order.Content{Shop: "two", TotalAmount: 10}, PaidMS: paidMS},
			{Content: order.Content{Shop: "two", TotalAmount: 100}}, // cancelled before the money came
			{Content: order.Content{Shop: "two", TotalAmount: 1000}, PaidMS: paidMS},
		} {
			o.Number, o.Task = order.Number(i+1), fmt.Sprint(i)
			require.NoError(t, stage.Insert(t.Context(), stores.DB, o))
			_, err := stores.DB.Write.ExecContext(t.Context(),
				`INSERT INTO payment_orders (pay_number, order_number, amount) VALUES (?, ?, ?)`,
				numberAt(1), o.Number, o.TotalAmount)
			require.NoError(t, err)
		}
		require.NoError(t, stage.Archive(t.Context(), stores.DB, `number = 4`))
		for range 2 { // the second time from what is kept
			for shop, want := range map[string][]Revenue{
				"": {{"CNY", 11, 1}}, "one": {{"CNY", 1, 1}}, "two": {{"CNY", 1010, 1}}, "three": {},
			} {
				sums, err := l.Revenue(api.WithShop(t.Context(), shop), 0)
				require.NoError(t, err)
				assert.Equal(t, want, sums, shop)
			}
		}
		plan := kit.Explain(t, stores.DB, shopRevenue, paidMS, paidMS+1, "one")
		assert.Contains(t, plan, "payments_paid", "%s", plan)
		assert.NotContains(t, plan, "_shop", "%s", plan)
	})
}

// Revenue counts each payment once by the time when it was paid, also in spans that were summed before.
func TestRevenueSumsWhatWasPaidSinceATime(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		l := newLedger(stores)
		minute := 0
		pay := func(ago time.Duration, amount int64, currency string) {
			minute++
			require.NoError(t, l.add(t.Context(), minute, "paid", "bank", ""))
			_, err := stores.DB.Write.ExecContext(t.Context(),
				`UPDATE payments SET paid_ms = ?, amount = ?, earned = ?, currency = ? WHERE pay_number = ?`,
				testNow.Add(-ago).UnixMilli(), amount, amount, currency, numberAt(minute))
			require.NoError(t, err)
		}
		since := func(ago time.Duration) []Revenue {
			sums, err := l.Revenue(t.Context(), api.Millis(testNow.Add(-ago).UnixMilli()))
			require.NoError(t, err)
			return sums
		}
		assert.Equal(t, []Revenue{}, since(time.Hour), "a list without items, not null")
		require.NoError(t, l.add(t.Context(), 999, "pending", "bank", "")) // was never paid
		pay(10*time.Second, 10, "CNY")
		pay(time.Minute, 100, "EUR")
		assert.Equal(t, []Revenue{{"CNY", 10, 1}, {"EUR", 100, 1}}, since(time.Hour))
		pay(7*time.Hour, 1000, "CNY")
		pay(7*time.Hour+1, 10_000, "CNY")
		for range 2 {
			assert.Equal(t, []Revenue{{"CNY", 1010, 2}, {"EUR", 100, 1}}, since(7*time.Hour))
		}
		pay(20*time.Second, 5, "CNY")
		assert.Equal(t, []Revenue{{"CNY", 1015, 3}, {"EUR", 100, 1}}, since(7*time.Hour), "the newest is not kept")
		pay(5*time.Hour, 7, "CNY") // no payment is stored so late
		assert.Equal(t, []Revenue{{"CNY", 1015, 3}, {"EUR", 100, 1}}, since(7*time.Hour), "the past is kept")
		for _, ago := range []time.Duration{49 * time.Hour, -time.Minute} {
			_, err := l.Revenue(t.Context(), api.Millis(testNow.Add(-ago).UnixMilli()))
			assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), fmt.Sprint(ago))
		}
	})
}
