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
			return operators[i%2].Insist(http.MethodPost, path, rand.Text(), map[string]any{"amount": total/10 + 1})
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
		assert.InDelta(t, accepted, refunded, 0)
		assert.Equal(t, "paid", w.status(t, orders[0]))
		assert.InDelta(t, accepted, w.shown(t, orders[0])["refunded_amount"], 0)

		rest := operators[1].Call(t, http.MethodPost, path, rand.Text(), nil)
		require.Equal(t, http.StatusAccepted, rest.Status, string(rest.Body))
		assert.InDelta(t, total-accepted, rest.JSON(t)["amount"], 0)
		w.settle(t)
		assert.Equal(t, "refunded", w.status(t, orders[0]))
		assert.Equal(t, "paid", w.status(t, orders[1]), "the other order of the payment is as it was")
		status, refunded = w.paid(t, p)
		assert.Equal(t, "paid", status)
		assert.InDelta(t, total, refunded, 0)
		_, back := w.refunds(t, p)
		assert.Equal(t, total, back, "what the gateway paid back")

		w.Job(t, "query_payments")
		status, _ = w.paid(t, p)
		assert.Equal(t, "paid", status, "reconciling changes nothing")
		assert.Equal(t, http.StatusConflict, operators[0].Call(t, http.MethodPost, path, rand.Text(), nil).Status)
	})
}

// shown returns an order in the buyer's list, which shows the same amounts as the order alone.
func (w *paySale) shown(t *testing.T, order string) map[string]any {
	t.Helper()
	one := w.buyer.Call(t, http.MethodGet, "/api/v1/orders/"+order, "", nil).JSON(t)
	list := w.buyer.Call(t, http.MethodGet, "/api/v1/orders?order_number="+order, "", nil).JSON(t)["items"].([]any)
	require.Len(t, list, 1)
	assert.Equal(t, one["refunded_amount"], list[0].(map[string]any)["refunded_amount"])
	return one
}

func TestASandboxPaymentThatWasRefundedInPartIsStillShownOnItsPage(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		order := w.order(t)
		a := w.buyer.Pay(t, rand.Text(), order)
		require.Equal(t, http.StatusCreated, a.Status, string(a.Body))
		m := a.JSON(t)
		p := site.Payment{
			Number: m["pay_number"].(string), Transaction: "txn-" + rand.Text(), Amount: int64(m["amount"].(float64)),
			Currency: m["currency"].(string),
		}
		w.Money(t, p)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		part := w.Operator(t).Call(t, http.MethodPost, admin+"/orders/"+order+"/refund", rand.Text(),
			map[string]any{"amount": 1, "reason": "a scratch"})
		require.Equal(t, http.StatusAccepted, part.Status, string(part.Body))
		w.settle(t)
		detail := w.Operator(t).Call(t, http.MethodGet, admin+"/payments/"+p.Number, "", nil).JSON(t)
		assert.InDelta(t, 1, detail["refunded_amount"], 0)
		assert.Len(t, detail["refunds"], 1)
		page, err := url.Parse(m["next"].(map[string]any)["redirect_url"].(string))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, w.buyer.Call(t, http.MethodGet, page.RequestURI(), "", nil).Status)
		state := w.buyer.Call(t, http.MethodGet, "/sandbox/state/"+p.Number+"?"+page.RawQuery, "", nil).JSON(t)
		assert.Equal(t, "paid", state["status"])
		assert.InDelta(t, 1, state["refunded_amount"], 0)
	})
}
