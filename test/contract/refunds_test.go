package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// givesBack refunds an order in part, shows it, and refunds the rest with others.
func (w *world) givesBack(t *testing.T) {
	t.Helper()
	m := w.paysFor(t, w.ada, "parts", object{"sku_id": "lamp", "quantity": 3}, 0) // 3 × 4900 and 600
	order := param("order_number", m.order)
	scratch := sent(object{"amount": 700, "reason": "A scratch.", "force": false})
	first := w.op.do(t, 202, "refundOrder", order, key("r1"), scratch)
	assert.JSONEq(t, string(first.Body), string(w.op.do(t, 202, "refundOrder", order, key("r1"), scratch).Body))
	assert.Equal(t, "idempotency_key_reused",
		w.op.do(t, 422, "refundOrder", order, key("r1"), sent(object{"amount": 701})).Code())
	lamp := func(quantity int) part {
		return sent(object{"items": []object{{"sku_id": "lamp", "quantity": quantity}}})
	}
	broken := w.op.do(t, 202, "refundOrder", order, key("r2"), lamp(2)).JSON(t)
	assert.EqualValues(t, 9800, broken["amount"])
	assert.Equal(t, "refund_too_large", w.op.do(t, 409, "refundOrder", order, key("r3"), lamp(2)).Code())
	assert.Equal(t, "refund_too_large",
		w.op.do(t, 409, "refundOrder", order, key("r3"), sent(object{"amount": 4801})).Code())
	w.op.do(t, 422, "refundOrder", order, key("r3"),
		sent(object{"items": []object{{"sku_id": "chair", "quantity": 1}}}))
	w.op.do(t, 404, "refundOrder", param("order_number", "4711"), key("r3"))
	shown := w.ada.do(t, 200, "getOrder", order).JSON(t)
	assert.Equal(t, "paid", shown["status"])
	assert.EqualValues(t, 10500, shown["refunded_amount"])
	list := w.ada.do(t, 200, "listOrders", query("order_number="+m.order)).JSON(t)["items"].([]any)
	assert.EqualValues(t, 10500, list[0].(object)["refunded_amount"])
	w.op.do(t, 200, "listAdminOrders", query("order_number="+m.order))

	refund := param("refund_number", first.JSON(t)["refund_number"].(string))
	assert.Equal(t, "A scratch.", w.op.do(t, 200, "getRefund", refund).JSON(t)["operator_reason"])
	w.op.do(t, 404, "getRefund", param("refund_number", "4711"))
	payment := w.op.do(t, 200, "getAdminPayment", param("pay_number", m.payment)).JSON(t)
	assert.Equal(t, "paid", payment["status"], "after a part")
	assert.Len(t, payment["refunds"], 2)
	w.op.do(t, 404, "getAdminPayment", param("pay_number", "4711"))

	many := sent(object{"order_numbers": []string{m.order, w.number, "4711"}, "reason": "Withdrawn."})
	all := w.op.do(t, 200, "refundOrders", key("all"), many)
	assert.EqualValues(t, 1, all.JSON(t)["refunded"])
	assert.EqualValues(t, 2, all.JSON(t)["failed"])
	assert.JSONEq(t, string(all.Body), string(w.op.do(t, 200, "refundOrders", key("all"), many).Body))
	assert.Equal(t, "idempotency_key_reused", w.op.do(t, 422, "refundOrders", key("all"),
		sent(object{"order_numbers": []string{m.order}})).Code())
	w.op.do(t, 422, "refundOrders", key("twice"), sent(object{"order_numbers": []string{m.order, m.order}}))
	assert.Equal(t, "refunded", w.ada.do(t, 200, "getOrder", order).JSON(t)["status"])
	w.walksRefunds(t, m)
}

// walksRefunds reads the three refunds of an order by cursor.
func (w *world) walksRefunds(t *testing.T, m money) {
	t.Helper()
	page := w.op.do(t, 200, "listRefunds", query("page_size=2&order_number="+m.order)).JSON(t)
	require.Len(t, page["items"], 2)
	cursor := page["next_cursor"].(string)
	rest := w.op.do(t, 200, "listRefunds",
		query("page_size=2&order_number="+m.order+"&before="+cursor)).JSON(t)
	assert.Len(t, rest["items"], 1)
	assert.NotContains(t, rest, "total")
	assert.NotContains(t, rest, "next_cursor")
	assert.NotEmpty(t, w.op.do(t, 200, "listAdminPayments", query("page_size=1")).JSON(t)["next_cursor"])
}

// clearsFlag pays an order with the wrong amount, and clears the flag that this sets.
func (w *world) clearsFlag(t *testing.T) {
	t.Helper()
	m := w.paysFor(t, w.ada, "wrong", object{"sku_id": "lamp", "quantity": 1}, 1)
	flagged := w.op.do(t, 200, "listAdminPayments", query("flagged=true")).JSON(t)["items"].([]any)
	require.Len(t, flagged, 1)
	assert.Equal(t, "wrong_amount", flagged[0].(object)["flag"])
	payment, why := param("pay_number", m.payment), sent(object{"reason": "The buyer paid twice elsewhere."})
	w.op.do(t, 200, "getAdminPayment", payment)
	cleared := w.op.do(t, 200, "clearFlag", payment, why).JSON(t)
	assert.NotContains(t, cleared, "flag")
	event := cleared["events"].([]any)[0].(object)
	assert.Equal(t, "wrong_amount", event["flag"])
	assert.Equal(t, "operator:operator", event["who"])
	w.op.do(t, 409, "clearFlag", payment, why)
	w.op.do(t, 404, "clearFlag", param("pay_number", "4711"), why)
}

// redeems buys three vouchers, redeems one, and refunds the others.
func (w *world) redeems(t *testing.T) {
	t.Helper()
	gift := clone(lampBody)
	gift["kind"], gift["price"], gift["freight"] = "voucher", 1000, object{"fee": 0, "free_over": 0}
	w.op.do(t, 200, "putSKU", param("sku_id", "gift"), sent(gift))
	m := w.paysFor(t, w.ada, "gift", object{"sku_id": "gift", "quantity": 3}, 0)
	order := param("order_number", m.order)
	item := w.ada.do(t, 200, "getOrder", order).JSON(t)["items"].([]any)[0].(object)
	codes := item["voucher_codes"].([]any)
	require.Len(t, codes, 3)
	voucher := func(i int) part { return param("code", codes[i].(string)) }
	assert.Equal(t, "active", w.op.do(t, 200, "getVoucher", voucher(0)).JSON(t)["status"])
	till := sent(object{"where": "Till 3"})
	assert.Equal(t, "Till 3", w.op.do(t, 200, "redeemVoucher", voucher(0), till).JSON(t)["redeemed_where"])
	again := w.op.do(t, 409, "redeemVoucher", voucher(0), till)
	assert.Equal(t, "voucher_redeemed", again.Code())
	assert.Contains(t, string(again.Body), "Till 3, by operator:operator")
	w.op.do(t, 404, "redeemVoucher", param("code", "NOTHING"), till)
	w.op.do(t, 404, "getVoucher", param("code", "NOTHING"))

	assert.Equal(t, "voucher_redeemed", w.op.do(t, 409, "refundOrder", order, key("g1")).Code())
	units := func(n int) part { return sent(object{"items": []object{{"sku_id": "gift", "quantity": n}}}) }
	w.op.do(t, 202, "refundOrder", order, key("g2"), units(2))
	assert.Equal(t, "voucher_void", w.op.do(t, 409, "redeemVoucher", voucher(2), till).Code())
	assert.Equal(t, "voucher_redeemed", w.op.do(t, 409, "refundOrder", order, key("g3"), units(1)).Code())
	w.op.do(t, 202, "refundOrder", order, key("g4"), sent(object{"force": true}))
	assert.Equal(t, "redeemed", w.op.do(t, 200, "getVoucher", voucher(0)).JSON(t)["status"])
}
