package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

// paid has a payment as the file describes it, and its refund if there is one.
type money struct{ payment, refund, order string }

// pays places an ordinary order of a lamp, pays it, and returns the payment.
func (w *world) pays(t testing.TB, k string) money {
	t.Helper()
	return w.paysFor(t, w.ada, k, object{"sku_id": "lamp", "quantity": 1}, 0)
}

// orders makes an ordinary order of one item, and returns its number.
func (w *world) orders(t testing.TB, buyer *person, k string, item object) string {
	t.Helper()
	basket := object{"items": []object{item}}
	if item["sku_id"] == "lamp" {
		basket["address_id"] = do[client.AddressList](t, buyer, 200, "listAddresses").Items[0].AddressID
	}
	return do[client.CreateOrders201JSONResponseBody](t, buyer, 201, "createOrders", key("o-"+k),
		sent(basket)).Orders[0].OrderNumber
}

// paysFor places an order of an item for a person and pays it; the money that comes is more by extra.
func (w *world) paysFor(t testing.TB, buyer *person, k string, item object, extra int64) money {
	t.Helper()
	number := w.orders(t, buyer, k, item)
	request := object{"order_numbers": []string{number}, "channel": "sandbox", "return_url": site.ShopOrigin + "/paid"}
	body := sent(request)
	begun := buyer.do(t, 201, "beginPayment", key("p-"+k), body)
	assert.Equal(t, begun.Kept(t), buyer.do(t, 201, "beginPayment", key("p-"+k), body).Kept(t))
	request["return_url"] = site.ShopOrigin + "/other"
	assert.Equal(t, "idempotency_key_reused", buyer.do(t, 422, "beginPayment", key("p-"+k), sent(request)).Code())
	request["return_url"] = "https://evil.example/paid"
	assert.Contains(t, string(buyer.do(t, 422, "beginPayment", key("evil-"+k), sent(request)).Body), "return_url")
	m := site.Read[client.Payment](t, 201, begun)
	p := site.Payment{
		Number: m.PayNumber, Transaction: "txn-" + k, Amount: m.Amount + extra, Currency: m.Currency,
	}
	w.site.Money(t, p)
	answer, err := w.site.Notify(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
	if extra == 0 {
		assert.Equal(t, "paid", do[client.Payment](t, buyer, 200, "getPayment", param("pay_number", p.Number)).Status)
	}
	return money{payment: p.Number, order: number}
}

// goesBack refunds a paid order.
func (w *world) goesBack(t testing.TB, m *money) {
	t.Helper()
	m.refund = do[client.Refund](t, w.op, 202, "refundOrder", param("order_number", m.order),
		key("back-"+m.order)).RefundNumber
	w.op.do(t, 409, "refundOrder", param("order_number", m.order), key("twice-"+m.order))
	w.op.do(t, 200, "retryRefund", param("refund_number", m.refund))
	w.op.do(t, 200, "retryRefunds", sent(object{"reason": "operator"}))
}

func TestPaymentsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.ada.do(t, 200, "listChannels")
		for device, found := range map[string]int{"computer": 1, "phone": 1, "app": 0, "auto": 1} {
			on := w.ada.do(t, 200, "listChannels", query("device="+device)).JSON(t)["items"]
			assert.Len(t, on, found, device)
		}
		begins := func(want int, k string, body object) site.Answer {
			body["channel"] = "sandbox"
			return w.ada.do(t, want, "beginPayment", key(k), sent(body))
		}
		unpaid, m := w.places(t, "unpaid").OrderNumber, w.pays(t, "one")
		assert.Equal(t, "not_payable", begins(409, "again", object{"order_numbers": []string{m.order}}).Code())
		begins(422, "p-one", object{"order_numbers": []string{unpaid}})
		inApp := begins(422, "app", object{"order_numbers": []string{unpaid}, "openid": "o-ada"})
		assert.Contains(t, string(inApp.Body), "openid")
		w.goesBack(t, &m)
		w.site.Job(t, "send_refunds")
		w.op.do(t, 409, "retryRefund", param("refund_number", m.refund))
		assert.Equal(t, "refunded",
			do[client.Payment](t, w.ada, 200, "getPayment", param("pay_number", m.payment)).Status)
		mine := do[client.PaymentList](t, w.ada, 200, "listPayments", query("order_number="+m.order)).Items
		require.Len(t, mine, 1)
		assert.Equal(t, m.payment, mine[0].PayNumber)
		const times = "&from=2026-01-01T00:00:00Z&to=2999-01-01T00:00:00%2B01:00"
		for id, filter := range map[string]string{
			"listAdminOrders":   "status=refunded&type=ordinary&kind=physical&shop_id=shop-1&user_id=ada",
			"listAdminPayments": "status=refunded&channel=sandbox&user_id=ada&flagged=false" + times,
			"listRefunds":       "status=done&channel=sandbox&reason=operator&pay_number=" + m.payment + times,
		} {
			list := w.op.do(t, 200, id, query(filter+"&order_number="+m.order+"&page=1&page_size=10")).JSON(t)
			assert.Len(t, list["items"], 1, id)
			assert.EqualValues(t, 1, list["total"], id)
		}
		assert.Empty(t, do[client.AdminPaymentList](t, w.op, 200, "listAdminPayments", query("flagged=true")).Items)
		assert.NotEmpty(t, do[client.RevenueList](t, w.op, 200, "getRevenue").Items)
	})
}

// The buyer pays the wrong amount, and the operator clears the flag that this sets.
func TestFlagsOfPaymentsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		m := w.paysFor(t, w.ada, "wrong", object{"sku_id": "lamp", "quantity": 1}, 1)
		flagged := do[client.AdminPaymentList](t, w.op, 200, "listAdminPayments", query("flagged=true")).Items
		require.Len(t, flagged, 1)
		assert.Equal(t, "wrong_amount", flagged[0].Flag)
		payment, why := param("pay_number", m.payment), sent(object{"reason": "The buyer paid twice elsewhere."})
		w.op.do(t, 200, "getAdminPayment", payment)
		cleared := do[client.PaymentDetail](t, w.op, 200, "clearFlag", payment, why)
		assert.Empty(t, cleared.Flag)
		assert.Equal(t, "wrong_amount", cleared.Events[0].Flag)
		assert.Equal(t, "operator:operator", cleared.Events[0].Who)
		w.op.do(t, 409, "clearFlag", payment, why)
		w.op.do(t, 404, "clearFlag", param("pay_number", "4711"), why)
	})
}
