package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// runMoneyJobs runs the jobs that decide about orders at their deadline, the canceller first, several times.
func (w *paySale) runMoneyJobs(t *testing.T) {
	t.Helper()
	for range 3 {
		w.Job(t, "cancel_unpaid")
		w.Job(t, "query_payments")
	}
	w.settle(t)
}

func TestOrdersPaidInTimeArePaidWhenTheProgramWasDownAtTheDeadline(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const paying = 12
		clock := kit.NewClock(time.Now())
		w := newPaySale(t, stores, site.Sale{PayWithinS: 30, Stock: map[string]int64{"0": 20}}, site.Time(clock.Now))
		orders, unpaid := make([]string, paying), w.order(t)
		for i := range orders {
			orders[i] = w.order(t)
		}
		clock.Advance(time.Second)
		for _, o := range orders {
			w.payment(t, o) // paid 29 s before the deadline, and the webhooks find nobody
		}
		w.begin(t, "nobody-pays-it", unpaid)
		clock.Advance(time.Hour) // the program is down

		w.runMoneyJobs(t)
		paid := 0
		for _, o := range orders {
			if w.status(t, o) == "paid" {
				paid++
			}
		}
		t.Logf("%d of %d orders paid in time are paid", paid, paying)
		assert.Equal(t, paying, paid)
		assert.Equal(t, "cancelled", w.status(t, unpaid))
		var refunds int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &refunds, `SELECT COUNT(*) FROM refunds`))
		assert.Zero(t, refunds)
	})
}

func TestAnOrderPaidASecondBeforeTheDeadlineIsPaidWithoutAWebhook(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const within = time.Minute
		clock := kit.NewClock(time.Now())
		w := newPaySale(t, stores, site.Sale{PayWithinS: int64(within / time.Second)}, site.Time(clock.Now))
		order, unpaid := w.order(t), w.order(t)
		first := w.begin(t, "first", order)
		w.begin(t, "nobody-pays-it", unpaid)
		for left := within; left > -5*time.Second; left -= time.Second {
			if left == time.Second {
				w.Money(t, site.Payment{
					Number: first, Transaction: "in-time", Amount: w.amount(t, order), Currency: "CNY",
				})
			}
			w.Job(t, "cancel_unpaid")
			w.Job(t, "query_payments")
			clock.Advance(time.Second)
		}
		assert.Equal(t, "paid", w.status(t, order))
		assert.Equal(t, "cancelled", w.status(t, unpaid))
		w.settle(t)
	})
}

// amount returns what an order costs.
func (w *paySale) amount(t *testing.T, order string) int64 {
	t.Helper()
	return w.buyer.GetOrder(t, order).TotalAmount
}
