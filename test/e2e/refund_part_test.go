package e2e

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestTwoOperatorsRefundAnOrderInPartsUpToItsTotal(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		other := site.Start(t, stores, site.Idle())
		operators := []*site.Person{w.Operator(t), other.Operator(t)}
		orders := []string{w.order(t), w.order(t)}
		p := w.payment(t, orders...)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		path := admin + "/orders/" + orders[0] + "/refund"
		total := p.Amount / 2

		accepted := int64(0)
		for i, a := range kit.AtOnce(20, func(i int) site.Answer {
			return operators[i%2].Insist(http.MethodPost, path, rand.Text(), client.RefundRequest{Amount: total/10 + 1})
		}) {
			if a.Status == http.StatusConflict {
				assert.Equal(t, "refund_too_large", a.Code(), string(a.Body))
				continue
			}
			require.Equal(t, http.StatusAccepted, a.Status, "%d: %s", i, a.Body)
			accepted += total/10 + 1
		}
		assert.Equal(t, 9*(total/10+1), accepted, "as many as fit")
		w.settle(t)
		status, refunded := w.paid(t, p)
		assert.Equal(t, "paid", status)
		assert.Equal(t, accepted, refunded)
		assert.Equal(t, "paid", w.status(t, orders[0]))
		assert.Equal(t, accepted, w.shown(t, orders[0]).RefundedAmount)

		rest := operators[1].RefundOrder(t, orders[0], rand.Text(), client.RefundRequest{})
		assert.Equal(t, total-accepted, rest.Amount)
		w.settle(t)
		assert.Equal(t, "refunded", w.status(t, orders[0]))
		assert.Equal(t, "paid", w.status(t, orders[1]), "the other order of the payment is as it was")
		status, refunded = w.paid(t, p)
		assert.Equal(t, "paid", status)
		assert.Equal(t, total, refunded)
		_, back := w.refunds(t, p)
		assert.Equal(t, total, back, "what the gateway paid back")

		w.Job(t, "query_payments")
		status, _ = w.paid(t, p)
		assert.Equal(t, "paid", status, "reconciling changes nothing")
		assert.Equal(t, http.StatusConflict, operators[0].Call(t, http.MethodPost, path, rand.Text(), nil).Status)
	})
}

// shown returns an order in the buyer's list, which shows the same amounts as the order alone.
func (w *paySale) shown(t *testing.T, order string) client.Order {
	t.Helper()
	list := w.buyer.ListOrders(t, "order_number="+order).Items
	require.Len(t, list, 1)
	assert.Equal(t, w.buyer.GetOrder(t, order).RefundedAmount, list[0].RefundedAmount)
	return list[0]
}

func TestASandboxPaymentThatWasRefundedInPartIsStillShownOnItsPage(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		order := w.order(t)
		m := w.buyer.BeginPayment(t, rand.Text(), order)
		p := site.Payment{
			Number: m.PayNumber, Transaction: "txn-" + rand.Text(), Amount: m.Amount,
			Currency: m.Currency,
		}
		w.Money(t, p)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		w.Operator(t).RefundOrder(t, order, rand.Text(), client.RefundRequest{Amount: 1, Reason: "a scratch"})
		w.settle(t)
		detail := site.Read[client.PaymentDetail](t, http.StatusOK,
			w.Operator(t).Call(t, http.MethodGet, admin+"/payments/"+p.Number, "", nil))
		assert.EqualValues(t, 1, detail.RefundedAmount)
		assert.Len(t, detail.Refunds, 1)
		page, err := url.Parse(m.Next.RedirectURL)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, w.buyer.Call(t, http.MethodGet, page.RequestURI(), "", nil).Status)
		state := site.Read[client.SandboxState](t, http.StatusOK,
			w.buyer.Call(t, http.MethodGet, "/sandbox/state/"+p.Number+"?"+page.RawQuery, "", nil))
		assert.Equal(t, "paid", state.Status)
		assert.EqualValues(t, 1, state.RefundedAmount)
	})
}
