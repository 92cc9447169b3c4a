package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

func TestMoneyPaidOutsideAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		number := w.orders(t, w.ada, "outside", object{"sku_id": "lamp", "quantity": 1}) // 4900 and 600
		order := param("order_number", number)
		hold := object{"user_id": "ada", "reference": "cart-1", "until": time.Now().Add(time.Hour)}
		held := do[client.Hold](t, w.op, 200, "holdOrder", order, sent(hold))
		assert.Equal(t, held.PayNumber, do[client.Hold](t, w.op, 200, "holdOrder", order, sent(hold)).PayNumber)
		w.op.do(t, 404, "holdOrder", param("order_number", "4711"), sent(hold))

		money := object{"user_id": "ada", "provider": "adyen", "reference": "1", "amount": 5500, "currency": "EUR"}
		paid := do[client.PaidOutside](t, w.op, 200, "reportOrderPaid", order, sent(money))
		assert.Equal(t, "paid", paid.Outcome)
		assert.Equal(t, held.PayNumber, paid.Payment.PayNumber)
		again := do[client.PaidOutside](t, w.op, 200, "reportOrderPaid", order, key("again"), sent(money))
		assert.True(t, bool(again.Replayed))
		w.op.do(t, 404, "reportOrderPaid", param("order_number", "4711"), sent(money))
		assert.Equal(t, "not_payable", w.op.do(t, 409, "holdOrder", order, sent(hold)).Code())
		money["amount"] = 5499
		assert.Equal(t, "reference_used", w.op.do(t, 409, "reportOrderPaid", order, sent(money)).Code())
		money["reference"] = "2"
		wrong := do[client.PaidOutside](t, w.op, 200, "reportOrderPaid", order, sent(money))
		assert.Equal(t, "refunded", wrong.Outcome)
		assert.Equal(t, "wrong_amount", wrong.Payment.Flag)

		refund := param("refund_number", wrong.Refunds[0].RefundNumber)
		failed := do[client.Refund](t, w.op, 200, "reportRefund", refund,
			sent(object{"status": "failed", "amount": 5499, "currency": "EUR", "reason": "The card was closed."}))
		assert.Equal(t, "failed", failed.Status)
		report := object{"status": "done", "amount": 5500, "currency": "EUR"}
		assert.Equal(t, "conflict", w.op.do(t, 409, "reportRefund", refund, sent(report)).Code())
		report["amount"] = 5499
		assert.Equal(t, "done", do[client.Refund](t, w.op, 200, "reportRefund", refund, sent(report)).Status)
		w.op.do(t, 404, "reportRefund", param("refund_number", "4711"), sent(report))
	})
}
