//go:build large

package browser_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/jobs"
	"onrush/modules/journal"
	"onrush/modules/order"
	payments "onrush/modules/pay"
)

// jobNames are the names of all jobs that operators see.
func jobNames() (names []string) {
	run := func(context.Context) (int, error) { return 0, nil }
	all := jobs.Table(jobs.Functions{
		MoveOrders: run, CancelUnpaid: run, SettleStock: run, AnnounceSales: run, Preheat: run, RetireActivities: run,
		ReportDead: run, Audit: run, DeleteFinished: run, SendRefunds: run, QueryPayments: run,
	})
	for _, job := range all {
		names = append(names, job.Name)
	}
	return names
}

// eventNames are the types of events as the pages' texts have them.
func eventNames() (names []string) {
	for _, kind := range journal.Types() {
		names = append(names, strings.Replace(kind, ".", "_", 1))
	}
	return names
}

// Codes that an operator must act on are said in words.
func TestFlagsRefundsAndDeadEntriesHaveTexts(t *testing.T) {
	t.Parallel()
	var text []byte
	for _, name := range []string{"text_en.js", "text_views_en.js"} {
		file, err := os.ReadFile("../../web/pages/console/" + name)
		require.NoError(t, err)
		text = append(text, file...)
	}
	kinds := map[string][]string{
		"job":   jobNames(),
		"stops": jobNames(),
		"event": eventNames(),
		"refusal": {
			"ok", "sold_out", "sold_out_unpaid_pending", "line_required", "human_check_required", "human_check_failed",
			"no_permit", "path_expired", "path_invalid", "place_invalid", "offline", "ended", "not_started",
			"sale_paused", "blocked", "purchase_limit", "rate_limited", "overloaded", "unavailable", "internal",
			"address_required", "region_not_served", "unauthorized", "forbidden", "not_found", "invalid_request",
			"conflict", "idempotency_key_reused",
		},
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
		"log": {
			"placed", "paid", "cancelled", order.LoggedFailed, order.LoggedPartlyRefunded, "voucher_redeemed",
			order.LoggedVouchersWaiting, order.LoggedVouchersGiven,
		},
	}
	for kind, codes := range kinds {
		for _, code := range codes {
			assert.Contains(t, string(text), `"`+kind+`_`+code+`":`)
		}
	}
}
