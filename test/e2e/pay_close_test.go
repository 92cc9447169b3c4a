package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// closedAtGateway reports whether the payment is closed at the sandbox.
func (w *paySale) closedAtGateway(t *testing.T, pay string) bool {
	t.Helper()
	var closed int
	require.NoError(t, w.Stores.DB.Write.GetContext(t.Context(), &closed,
		`SELECT COUNT(*) FROM sandbox_payments WHERE pay_number = ? AND closed_ms > 0`, pay))
	return closed == 1
}

// begin starts a payment that receives no money.
func (w *paySale) begin(t *testing.T, key string, orders ...string) string {
	t.Helper()
	return w.buyer.BeginPayment(t, key, orders...).PayNumber
}

func TestAPaymentWhoseOrdersAreCancelledIsClosedAtItsGateway(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		one, other := w.order(t), w.order(t)
		pay := w.begin(t, "k", one, other)
		w.buyer.CancelOrder(t, one)
		w.Job(t, "query_payments")
		assert.False(t, w.closedAtGateway(t, pay), "it still pays the other order")
		w.buyer.CancelOrder(t, other)
		require.Equal(t, "cancelled", w.status(t, other))
		assert.Equal(t, 1, w.Job(t, "query_payments"))
		assert.True(t, w.closedAtGateway(t, pay))
		status, _ := w.paid(t, site.Payment{Number: pay})
		assert.Equal(t, "closed", status)
		assert.Zero(t, w.Job(t, "query_payments"), "it is closed once")
		var left int
		require.NoError(t, stores.DB.Write.GetContext(t.Context(), &left, `SELECT COUNT(*) FROM payment_closes`))
		assert.Zero(t, left)
	})
}

func TestAPaymentThatANewerOneReplacesIsClosedAtItsGateway(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		number := w.order(t)
		first, second := w.begin(t, "k1", number), w.begin(t, "k2", number)
		assert.Equal(t, 1, w.Job(t, "query_payments"))
		assert.True(t, w.closedAtGateway(t, first))
		assert.False(t, w.closedAtGateway(t, second))
		assert.Equal(t, "unpaid", w.status(t, number))
	})
}

func TestAPaymentIsClosedAtItsGatewayWhenAnotherPaidItsOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		number := w.order(t)
		first := w.payment(t, number)
		second := w.begin(t, "k2", number)
		require.Equal(t, http.StatusOK, w.notify(t, first).Status)
		require.Equal(t, "paid", w.status(t, number))
		w.Job(t, "query_payments")
		assert.True(t, w.closedAtGateway(t, second))
	})
}

func TestAPaymentThatWasPaidBeforeItIsClosedIsRefunded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		number := w.order(t)
		p := w.payment(t, number) // its webhook is lost
		w.buyer.CancelOrder(t, number)
		w.Job(t, "query_payments")
		w.settle(t)
		n, amount := w.refunds(t, p)
		assert.Equal(t, 1, n)
		assert.Equal(t, p.Amount, amount)
	})
}

func TestClosingAPaymentSurvivesACrashAfterEachStep(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"cancel_commit", "close_noted"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				faults, crashed := crashAfter(step)
				w := newPaySale(t, stores, site.Sale{})
				broken := site.Start(t, stores, site.Idle(), site.Faults(order.Faults(faults)))
				number := w.order(t)
				pay := w.begin(t, "k", number)
				w.buyer.At(broken).Call(t, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
				broken.TryJob(t, "query_payments")
				require.True(t, crashed.Load(), "the step was never done")
				w.TryJob(t, "query_payments")
				w.settle(t)
				assert.Equal(t, "cancelled", w.status(t, number))
				assert.True(t, w.closedAtGateway(t, pay))
			})
		})
	}
}
