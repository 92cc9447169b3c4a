package e2e

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestOrderPaidInTimeIsPaidWhenItsWebhookIsLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, within := range []time.Duration{15 * time.Minute, 5 * time.Minute, 20 * time.Second} {
			clock := kit.NewClock(time.Now())
			w := newPaySale(t, stores, site.Sale{PayWithinS: int64(within / time.Second)}, site.Time(clock.Now))
			paid, unpaid := w.order(t), w.order(t)
			w.payment(t, paid) // it is paid, and the webhook is lost
			a := w.buyer.Pay(t, "of-"+unpaid, unpaid)
			require.Equal(t, http.StatusCreated, a.Status, string(a.Body))
			open := "/api/v1/payments/" + a.JSON(t)["pay_number"].(string)
			look := func() map[string]any { return w.buyer.Call(t, http.MethodGet, open, "", nil).JSON(t) }

			assert.Zero(t, w.Job(t, "query_payments"), "it is early")
			clock.Advance(within - 2*time.Second)
			assert.Equal(t, 1, w.Job(t, "query_payments"))
			assert.Equal(t, "paid", w.status(t, paid))
			assert.Equal(t, "pending", look()["status"], "there is time to pay it")
			assert.Contains(t, look(), "next")
			clock.Advance(3 * time.Second)
			assert.NotContains(t, look(), "next")
			assert.Zero(t, w.Job(t, "cancel_unpaid"), "it may have been paid since")
			assert.Equal(t, 1, w.Job(t, "query_payments"))
			assert.Equal(t, "closed", look()["status"])
			assert.Equal(t, 1, w.Job(t, "cancel_unpaid"))
			assert.Equal(t, "paid", w.status(t, paid))
			assert.Equal(t, "cancelled", w.status(t, unpaid))
			w.settle(t)
		}
	})
}

func TestAnOrderHasBoundedPayments(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		order := w.order(t)
		begun := 0
		for i, a := range kit.AtOnce(50, func(i int) site.Answer {
			body := map[string]any{"order_numbers": []string{order}, "channel": "sandbox"}
			return w.buyer.Insist(http.MethodPost, "/api/v1/payments", fmt.Sprintf("key%d", i), body)
		}) {
			if a.Status == http.StatusCreated {
				begun++
				continue
			}
			require.Equal(t, "not_payable", a.Code(), "%d: %s", i, a.Body)
		}
		assert.Equal(t, 20, begun)
		var open int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &open,
			`SELECT COUNT(*) FROM payments WHERE status = 'pending'`))
		assert.Equal(t, 1, open, "each closed those before it")
	})
}

func TestPaymentShowsHowToPayOnlyWhileItIsUnpaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		first, second := w.order(t), w.order(t)
		cancel := func(order string) {
			a := w.buyer.Call(t, http.MethodPost, "/api/v1/orders/"+order+"/cancel", "", nil)
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		}
		begin := func() map[string]any {
			a := w.buyer.Pay(t, "key", first, second)
			require.Equal(t, http.StatusCreated, a.Status, string(a.Body))
			return a.JSON(t)
		}
		assert.Contains(t, begin(), "next")
		cancel(first)
		assert.Contains(t, begin(), "next", "the other one can be paid")
		cancel(second)
		assert.NotContains(t, begin(), "next")
		again := w.buyer.Pay(t, "another", first)
		assert.Equal(t, "not_payable", again.Code(), string(again.Body))
	})
}

func TestPaymentIsRefundedWhenAllItsOrdersAreRefunded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{Free: true})
		dear := w.Open(t, site.Sale{SKU: "dear"})
		operator := w.Operator(t)
		refund := func(order string) {
			a := operator.Call(t, http.MethodPost, "/admin/api/v1/orders/"+order+"/refund", rand.Text(), nil)
			require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		}
		one, two := w.order(t), w.order(t)
		a := w.buyer.Pay(t, "free", one, two)
		require.Equal(t, http.StatusCreated, a.Status, string(a.Body))
		free := site.Payment{Number: a.JSON(t)["pay_number"].(string)}
		for i, want := range []string{"paid", "refunded"} {
			refund([]string{one, two}[i])
			status, _ := w.paid(t, free)
			assert.Equal(t, want, status)
		}

		costs := w.buyer.Buy(t, dear, "dear", "k").JSON(t)["order_number"].(string)
		gift := w.order(t)
		mixed := w.payment(t, costs, gift)
		require.Equal(t, http.StatusOK, w.notify(t, mixed).Status)
		refund(costs)
		w.settle(t)
		status, refunded := w.paid(t, mixed)
		assert.Equal(t, "paid", status, "the gift stays")
		assert.InDelta(t, mixed.Amount, refunded, 0)
		refund(gift)
		status, _ = w.paid(t, mixed)
		assert.Equal(t, "refunded", status)
	})
}
