package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

func TestRefundsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		m := w.paysFor(t, w.ada, "parts", object{"sku_id": "lamp", "quantity": 3}, 0) // 3 × 4900 and 600
		order := param("order_number", m.order)
		first := w.refundsParts(t, order)
		shown := do[client.Order](t, w.ada, 200, "getOrder", order)
		assert.Equal(t, "paid", shown.Status)
		assert.EqualValues(t, 10500, shown.RefundedAmount)
		list := do[client.OrderList](t, w.ada, 200, "listOrders", query("order_number="+m.order)).Items
		assert.EqualValues(t, 10500, list[0].RefundedAmount)
		w.op.do(t, 200, "listAdminOrders", query("order_number="+m.order))

		refund := do[client.Refund](t, w.op, 200, "getRefund", param("refund_number", first))
		assert.Equal(t, "A scratch.", refund.OperatorReason)
		w.op.do(t, 404, "getRefund", param("refund_number", "4711"))
		payment := do[client.PaymentDetail](t, w.op, 200, "getAdminPayment", param("pay_number", m.payment))
		assert.Equal(t, "paid", payment.Status, "after a part")
		assert.Len(t, payment.Refunds, 2)
		w.op.do(t, 404, "getAdminPayment", param("pay_number", "4711"))
		w.refundsMany(t, m.order, w.places(t, "unpaid").OrderNumber)
		assert.Equal(t, "refunded", do[client.Order](t, w.ada, 200, "getOrder", order).Status)
		w.walksRefunds(t, m)
	})
}

// refundsParts refunds 10500 of an order in two parts and returns the number of the first refund.
func (w *world) refundsParts(t *testing.T, order part) string {
	t.Helper()
	scratch := sent(object{"amount": 700, "reason": "A scratch.", "force": false})
	first := w.op.do(t, 202, "refundOrder", order, key("r1"), scratch)
	assert.Equal(t, first.Kept(t), w.op.do(t, 202, "refundOrder", order, key("r1"), scratch).Kept(t))
	assert.Equal(t, "idempotency_key_reused",
		w.op.do(t, 422, "refundOrder", order, key("r1"), sent(object{"amount": 701})).Code())
	units := func(sku string, quantity int) part {
		return sent(object{"items": []object{{"sku_id": sku, "quantity": quantity}}})
	}
	broken := do[client.Refund](t, w.op, 202, "refundOrder", order, key("r2"), units("lamp", 2))
	assert.EqualValues(t, 9800, broken.Amount)
	for _, tooMuch := range []part{units("lamp", 2), sent(object{"amount": 4801})} {
		assert.Equal(t, "refund_too_large", w.op.do(t, 409, "refundOrder", order, key("r3"), tooMuch).Code())
	}
	w.op.do(t, 422, "refundOrder", order, key("r3"), units("chair", 1))
	w.op.do(t, 404, "refundOrder", param("order_number", "4711"), key("r3"))
	return site.Read[client.Refund](t, 202, first).RefundNumber
}

// refundsMany refunds a paid order together with one that is unpaid, and one that doesn't exist.
func (w *world) refundsMany(t *testing.T, paid, unpaid string) {
	t.Helper()
	many := sent(object{"order_numbers": []string{paid, unpaid, "4711"}, "reason": "Withdrawn."})
	all := w.op.do(t, 200, "refundOrders", key("all"), many)
	refunded := site.Read[client.RefundedOrders](t, 200, all)
	assert.EqualValues(t, 1, refunded.Refunded)
	assert.EqualValues(t, 2, refunded.Failed)
	again := string(w.op.do(t, 200, "refundOrders", key("all"), many).Body)
	assert.JSONEq(t, string(all.Body), strings.ReplaceAll(again, `,"replayed":true`, ""))
	assert.Equal(t, "idempotency_key_reused", w.op.do(t, 422, "refundOrders", key("all"),
		sent(object{"order_numbers": []string{paid}})).Code())
	w.op.do(t, 422, "refundOrders", key("twice"), sent(object{"order_numbers": []string{paid, paid}}))
}

// walksRefunds reads the three refunds of an order by cursor.
func (w *world) walksRefunds(t *testing.T, m money) {
	t.Helper()
	page := do[client.RefundList](t, w.op, 200, "listRefunds", query("page_size=2&order_number="+m.order))
	require.Len(t, page.Items, 2)
	rest := w.op.do(t, 200, "listRefunds",
		query("page_size=2&order_number="+m.order+"&after="+page.NextCursor)).JSON(t)
	assert.Len(t, rest["items"], 1)
	assert.NotContains(t, rest, "total")
	assert.NotContains(t, rest, "next_cursor")
	w.pays(t, "another")
	payments := do[client.AdminPaymentList](t, w.op, 200, "listAdminPayments", query("page_size=1"))
	assert.NotEmpty(t, payments.NextCursor)
}

func TestVouchersAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.op.do(t, 200, "putSKU", param("sku_id", "gift"), sent(voucherBody(1000)))
		m := w.paysFor(t, w.ada, "gift", object{"sku_id": "gift", "quantity": 3}, 0)
		order := param("order_number", m.order)
		codes := do[client.Order](t, w.ada, 200, "getOrder", order).Items[0].VoucherCodes
		require.Len(t, codes, 3)
		voucher := func(i int) part { return param("code", codes[i]) }
		assert.Equal(t, "active", do[client.Voucher](t, w.op, 200, "getVoucher", voucher(0)).Status)
		till := sent(object{"where": "Till 3"})
		assert.Equal(t, "Till 3", do[client.Voucher](t, w.op, 200, "redeemVoucher", voucher(0), till).RedeemedWhere)
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
		assert.Equal(t, "redeemed", do[client.Voucher](t, w.op, 200, "getVoucher", voucher(0)).Status)
	})
}
