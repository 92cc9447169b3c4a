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
	"onrush/web/client"
)

func TestOrderPaidInTimeIsPaidWhenItsWebhookIsLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, within := range []time.Duration{15 * time.Minute, 5 * time.Minute, 20 * time.Second} {
			clock := kit.NewClock(time.Now())
			w := newPaySale(t, stores, site.Sale{PayWithinS: int64(within / time.Second)}, site.Time(clock.Now))
			paid, unpaid := w.order(t), w.order(t)
			w.payment(t, paid) // it is paid, and the webhook is lost
			open := w.begin(t, "of-"+unpaid, unpaid)
			look := func() client.Payment { return w.buyer.GetPayment(t, open) }

			assert.Zero(t, w.Job(t, "query_payments"), "it is early")
			clock.Advance(within - 2*time.Second)
			assert.Equal(t, 1, w.Job(t, "query_payments"))
			assert.Equal(t, "paid", w.status(t, paid))
			assert.Equal(t, "pending", look().Status, "there is time to pay it")
			assert.NotNil(t, look().Next)
			clock.Advance(3 * time.Second)
			assert.Nil(t, look().Next)
			assert.Zero(t, w.Job(t, "cancel_unpaid"), "it may have been paid since")
			assert.Equal(t, 1, w.Job(t, "query_payments"))
			assert.Equal(t, "closed", look().Status)
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
			body := client.PaymentRequest{OrderNumbers: []string{order}, Channel: "sandbox"}
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
		all := w.buyer.ListPayments(t, order)
		require.Len(t, all, 20)
		assert.Equal(t, []string{"pending", "closed"}, []string{string(all[0].Status), string(all[1].Status)})
		assert.NotNil(t, all[0].Next)
		assert.Empty(t, w.Buyer(t, "mallory").ListPayments(t, order))
	})
}

func TestPaymentShowsHowToPayOnlyWhileItIsUnpaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		first, second := w.order(t), w.order(t)
		next := func() *client.Payment_Next { return w.buyer.BeginPayment(t, "key", first, second).Next }
		assert.NotNil(t, next())
		w.buyer.CancelOrder(t, first)
		assert.NotNil(t, next(), "the other one can be paid")
		w.buyer.CancelOrder(t, second)
		assert.Nil(t, next())
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
		refund := func(order string) { operator.RefundOrder(t, order, rand.Text(), client.RefundRequest{}) }
		one, two := w.order(t), w.order(t)
		free := site.Payment{Number: w.begin(t, "free", one, two)}
		for i, want := range []string{"paid", "refunded"} {
			refund([]string{one, two}[i])
			status, _ := w.paid(t, free)
			assert.Equal(t, want, status)
		}

		costs := w.buyer.Buy(t, dear, "dear", "k").Placed(t).OrderNumber
		gift := w.order(t)
		mixed := w.payment(t, costs, gift)
		require.Equal(t, http.StatusOK, w.notify(t, mixed).Status)
		refund(costs)
		w.settle(t)
		status, refunded := w.paid(t, mixed)
		assert.Equal(t, "paid", status, "the gift stays")
		assert.Equal(t, mixed.Amount, refunded)
		refund(gift)
		status, _ = w.paid(t, mixed)
		assert.Equal(t, "refunded", status)
	})
}

func TestAPaymentSaysWhatIsWrongWithANumberOfAnOrder(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	for _, row := range []struct {
		number any
		says   string
	}{{123, "must be a string"}, {"x", "must be an order number"}, {"0", "must be an order number"}} {
		a := s.Buyer(t, "ann").Call(t, http.MethodPost, "/api/v1/payments", "key",
			map[string]any{"order_numbers": []any{row.number}, "channel": "sandbox"})
		assert.Equal(t, http.StatusUnprocessableEntity, a.Status)
		assert.Contains(t, string(a.Body), `{"field":"order_numbers[0]","detail":"`+row.says+`"}`)
	}
}
