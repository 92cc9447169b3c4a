package browser_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	payments "onrush/modules/pay"
)

// Codes that an operator must act on are said in words.
func TestFlagsRefundsAndDeadEntriesHaveTexts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../web/pages/console/text_en.js")
	require.NoError(t, err)
	kinds := map[string][]string{
		"refund": payments.RefundReasons,
		"flag": {
			payments.ReasonWrongAmount, payments.ReasonWrongCurrency, payments.ReasonNoOrder, payments.ReasonOutside,
			payments.ReasonRefundFailed, payments.ReasonDisputed, payments.ReasonUnknown,
		},
		"dead": {
			order.ReasonNumberTaken, order.ReasonTaskTaken, order.ReasonBadEntry, order.ReasonNoRecord,
			order.ReasonBadRecord, order.ReasonBadRow, order.ReasonNoActivity,
		},
		"cancel": {
			order.CancelledByBuyer, order.CancelledByTimeout, order.ReasonNoStock, order.ReasonOverLimit,
			order.ReasonDiscarded,
		},
		"log": {"placed", "paid", "cancelled", order.LoggedFailed, order.LoggedPartlyRefunded, "voucher_redeemed"},
	}
	for kind, codes := range kinds {
		for _, code := range codes {
			assert.Contains(t, string(text), `"`+kind+`_`+code+`":`)
		}
	}
}
