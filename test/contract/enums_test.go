package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/order/fulfilment"
	"onrush/modules/order/swap"
	"onrush/modules/pay"
	"onrush/modules/pay/grace"
)

func TestTheFileHasAllReasonsAndFlags(t *testing.T) {
	t.Parallel()
	doc, err := readOnce()
	require.NoError(t, err)
	failed := []any{order.ReasonNoStock, order.ReasonOverLimit, order.ReasonDiscarded}
	for name, values := range map[string][]any{
		"FailReason": failed,
		"CancelReason": append([]any{
			order.CancelledByBuyer, order.CancelledByOperator, order.CancelledByTimeout,
		}, failed...),
		"DeadReason": {
			order.ReasonBadEntry, order.ReasonNoRecord, order.ReasonBadRecord, order.ReasonNewerRecord,
			order.ReasonBadRow, order.ReasonNoActivity, order.ReasonNumberTaken, order.ReasonTaskTaken,
		},
		"PaymentFlag": {
			pay.ReasonWrongAmount, pay.ReasonWrongCurrency, pay.ReasonNoOrder, pay.ReasonOutside,
			pay.ReasonRefundFailed, pay.ReasonDisputed, pay.ReasonUnknown,
		},
		"OrderEventName": {
			"placed", order.LoggedFailed, string(order.Paid), string(order.Cancelled), order.LoggedPartlyRefunded,
			string(order.Refunded), order.LoggedRestocked, "voucher_redeemed", order.LoggedVouchersWaiting,
			order.LoggedVouchersGiven,
			"vouchers_" + string(order.Held), "vouchers_" + string(order.Lost), "vouchers_" + string(order.Released),
			fulfilment.LoggedAddress, grace.Logged, swap.Logged, string(order.Packed), string(order.Shipped),
			string(order.Delivered),
		},
	} {
		assert.Equal(t, values, doc.Components.Schemas[name].Value.Enum, name)
	}
}
