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
		_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM refunds`)
		require.NoError(t, err)
		l.refund(t, 10*time.Minute, 3, "CNY", "operator", 2)
		_, err = stores.DB.Write.ExecContext(t.Context(),
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
				"": {{"CNY", 11, 1, 3, 8}}, "one": {{"CNY", 1, 1, 0, 1}}, "two": {{"CNY", 1010, 1, 3, 1007}},
				"three": {},
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

// refund stores a refund that was made a time ago, of an order.
func (l *ledger) refund(
	t *testing.T, ago time.Duration, amount int64, currency, reason string, of order.Number,
) {
	t.Helper()
	at := testNow.Add(-ago)
	const insert = `INSERT INTO refunds (refund_number, pay_number, channel, transaction_id, order_number, amount,
		currency, reason, status, attempts, next_try_ms, last_error, created_ms, done_ms)
		VALUES (?, 1, 'bank', ?, ?, ?, ?, ?, 'pending', 0, 0, '', ?, 0)`
	n := order.NewNumber(at, 0, uint32(l.next.Add(1)%1000))
	_, err := l.stores.DB.Write.ExecContext(t.Context(), insert, n, n.String(), of, amount, currency, reason,
		at.UnixMilli())
	require.NoError(t, err)
}

// The refunds of paid orders stand beside the revenue of the time in which they were made, and are found by their
// numbers. Those of money that paid no order don't count.
func TestRevenueSaysWhatWasRefundedSinceATime(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		l := newLedger(stores)
		l.refund(t, 7*time.Hour+time.Millisecond, 1000, "CNY", "operator", 1)
		l.refund(t, 7*time.Hour, 1, "CNY", "operator", 1)
		l.refund(t, 6*time.Hour, 20, "CNY", "refunded_outside", 1)
		l.refund(t, time.Minute, 300, "EUR", "operator", 1)
		l.refund(t, time.Minute, 4000, "CNY", "paid_already", 1)
		for range 2 { // the second time from what is kept
			sums, err := l.Revenue(t.Context(), api.Millis(testNow.Add(-7*time.Hour).UnixMilli()))
			require.NoError(t, err)
			assert.Equal(t, []Revenue{{"CNY", 0, 0, 21, -21}, {"EUR", 0, 0, 300, -300}}, sums)
		}
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
			_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM refunds`)
			require.NoError(t, err)
			_, err = stores.DB.Write.ExecContext(t.Context(),
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
		assert.Equal(t, []Revenue{{"CNY", 10, 1, 0, 10}, {"EUR", 100, 1, 0, 100}}, since(time.Hour))
		pay(7*time.Hour, 1000, "CNY")
		pay(7*time.Hour+1, 10_000, "CNY")
		for range 2 {
			assert.Equal(t, []Revenue{{"CNY", 1010, 2, 0, 1010}, {"EUR", 100, 1, 0, 100}}, since(7*time.Hour))
		}
		pay(20*time.Second, 5, "CNY")
		assert.Equal(t, []Revenue{{"CNY", 1015, 3, 0, 1015}, {"EUR", 100, 1, 0, 100}},
			since(7*time.Hour), "the newest is not kept")
		pay(5*time.Hour, 7, "CNY") // no payment is stored so late
		assert.Equal(t, []Revenue{{"CNY", 1015, 3, 0, 1015}, {"EUR", 100, 1, 0, 100}},
			since(7*time.Hour), "the past is kept")
		for _, ago := range []time.Duration{49 * time.Hour, -time.Minute} {
			_, err := l.Revenue(t.Context(), api.Millis(testNow.Add(-ago).UnixMilli()))
			assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), fmt.Sprint(ago))
		}
	})
}
