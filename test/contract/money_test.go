package contract

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
)

// paid has a payment as the file describes it, and its refund if there is one.
type money struct{ payment, refund, order string }

// pays places an ordinary order of a lamp, pays it, and returns the payment.
func (w *world) pays(t *testing.T, k string) money {
	t.Helper()
	return w.paysFor(t, w.ada, k, object{"sku_id": "lamp", "quantity": 1}, 0)
}

// paysFor places an order of an item for a person and pays it; the money that comes is more by extra.
func (w *world) paysFor(t *testing.T, buyer *person, k string, item object, extra int64) money {
	t.Helper()
	basket := object{"items": []object{item}}
	if item["sku_id"] == "lamp" {
		addresses := buyer.do(t, 200, "listAddresses").JSON(t)["items"].([]any)
		basket["address_id"] = addresses[0].(object)["address_id"]
	}
	orders := buyer.do(t, 201, "createOrders", key("o-"+k), sent(basket)).JSON(t)
	number := orders["orders"].([]any)[0].(object)["order_number"].(string)
	request := object{"order_numbers": []string{number}, "channel": "sandbox", "return_url": site.ShopOrigin + "/paid"}
	body := sent(request)
	begun := buyer.do(t, 201, "beginPayment", key("p-"+k), body)
	assert.JSONEq(t, string(begun.Body), string(buyer.do(t, 201, "beginPayment", key("p-"+k), body).Body))
	request["return_url"] = site.ShopOrigin + "/other"
	assert.Equal(t, "idempotency_key_reused", buyer.do(t, 422, "beginPayment", key("p-"+k), sent(request)).Code())
	request["return_url"] = "https://evil.example/paid"
	assert.Contains(t, string(buyer.do(t, 422, "beginPayment", key("evil-"+k), sent(request)).Body), "return_url")
	m := begun.JSON(t)
	p := site.Payment{
		Number: m["pay_number"].(string), Transaction: "txn-" + k, Amount: int64(m["amount"].(float64)) + extra,
		Currency: m["currency"].(string),
	}
	w.site.Money(t, p)
	answer, err := w.site.Notify(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
	if extra == 0 {
		assert.Equal(t, "paid", buyer.do(t, 200, "getPayment", param("pay_number", p.Number)).JSON(t)["status"])
	}
	return money{payment: p.Number, order: number}
}

// goesBack refunds a paid order.
func (w *world) goesBack(t *testing.T, m *money) {
	t.Helper()
	whole := w.op.do(t, 202, "refundOrder", param("order_number", m.order), key("back-"+m.order)).JSON(t)
	m.refund = whole["refund_number"].(string)
	w.op.do(t, 409, "refundOrder", param("order_number", m.order), key("twice-"+m.order))
	w.op.do(t, 200, "retryRefund", param("refund_number", m.refund))
	w.op.do(t, 200, "retryRefunds", sent(object{"reason": "operator"}))
}

// deals makes the calls about payments and refunds of buyers and operators.
func (w *world) deals(t *testing.T) {
	t.Helper()
	m := w.pays(t, "one")
	assert.Equal(t, "not_payable", w.ada.do(t, 409, "beginPayment", key("again"),
		sent(object{"order_numbers": []string{m.order}, "channel": "sandbox"})).Code())
	w.ada.do(t, 422, "beginPayment", key("p-one"),
		sent(object{"order_numbers": []string{w.number}, "channel": "sandbox"}))
	inApp := sent(object{"order_numbers": []string{w.number}, "channel": "sandbox", "openid": "o-ada"})
	assert.Contains(t, string(w.ada.do(t, 422, "beginPayment", key("app"), inApp).Body), "openid")
	w.goesBack(t, &m)
	w.site.Job(t, "send_refunds")
	w.op.do(t, 409, "retryRefund", param("refund_number", m.refund))
	assert.Equal(t, "refunded", w.ada.do(t, 200, "getPayment", param("pay_number", m.payment)).JSON(t)["status"])
	for id, filter := range map[string]string{
		"listAdminOrders": "status=refunded&type=ordinary&kind=physical&shop_id=shop-1&user_id=ada&order_number=" +
			m.order,
		"listAdminPayments": "status=refunded&channel=sandbox&user_id=ada&flagged=false&order_number=" + m.order,
		"listRefunds": "status=done&channel=sandbox&reason=operator&pay_number=" + m.payment +
			"&order_number=" + m.order,
	} {
		if id != "listAdminOrders" {
			filter += "&from=2026-01-01T00:00:00Z&to=2999-01-01T00:00:00%2B01:00"
		}
		list := w.op.do(t, 200, id, query(filter+"&page=1&page_size=10")).JSON(t)
		assert.Len(t, list["items"], 1, id)
		assert.InDelta(t, 1, list["total"], 0, id)
	}
	assert.Empty(t, w.op.do(t, 200, "listAdminPayments", query("flagged=true")).JSON(t)["items"])
}

// keepsTime makes an operator's calls about jobs.
func (w *world) keepsTime(t *testing.T) {
	t.Helper()
	jobs := w.op.do(t, 200, "listJobs").JSON(t)["items"].([]any)
	require.GreaterOrEqual(t, len(jobs), 8)
	audit := param("name", "audit")
	assert.Equal(t, true, w.op.do(t, 200, "pauseJob", audit).JSON(t)["paused"])
	run := w.op.do(t, 202, "runJob", audit).JSON(t)["run_id"]
	assert.Equal(t, false, w.op.do(t, 200, "resumeJob", audit).JSON(t)["paused"])
	runs := w.op.do(t, 200, "listRuns", audit, query("page=1&page_size="+strconv.Itoa(10))).JSON(t)["items"].([]any)
	require.NotEmpty(t, runs)
	assert.Equal(t, run, runs[0].(object)["run_id"])
	for _, id := range []string{"pauseJob", "runJob", "resumeJob", "listRuns"} {
		w.op.do(t, 404, id, param("name", "nothing"))
	}
}
