package stripe

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/test/double"
)

const dashboardRefund = `{"id":"re_9","object":"refund","status":"succeeded","amount":40,"currency":"eur",` +
	`"charge":"ch_1","payment_intent":"pi_1","metadata":{}}`

func TestStripeReportsOutcomesOfRefundsAndDisputes(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	failed := pay.Notification{
		Kind: pay.KindRefundFailed, EventID: "evt_1", TransactionID: "pi_1", Amount: 40, Currency: "EUR",
		RefundNumber: "77-1", Reason: "lost_or_stolen_card",
	}
	canceled := failed
	canceled.Reason = "canceled"
	outside := pay.Notification{
		Kind: pay.KindRefundedOutside, EventID: "evt_1", TransactionID: "pi_1", Amount: 40, Currency: "EUR",
		RefundNumber: "re_9",
	}
	outsideFailed := outside
	outsideFailed.Kind, outsideFailed.Reason = pay.KindRefundFailed, "failed"
	disputed := pay.Notification{
		Kind: pay.KindDisputed, EventID: "evt_1", TransactionID: "pi_1", Amount: 100, Currency: "EUR",
		Reason: "fraudulent", Dispute: pay.DisputeStep{
			ID: "dp_1", State: pay.DisputeLost, Status: "lost", DueMS: 1772700000000, AtMS: 1772600000000,
		},
	}
	ours := `{"id":"re_1","object":"refund","status":"failed","failure_reason":"lost_or_stolen_card","amount":40,` +
		`"currency":"eur","payment_intent":"pi_1","metadata":{"refund_number":"77-1","pay_number":"1"}}`
	dispute := `{"id":"dp_1","object":"dispute","amount":100,"currency":"eur","charge":"ch_1",` +
		`"payment_intent":"pi_1","reason":"fraudulent","status":"lost","is_charge_refundable":false,` +
		`"evidence_details":{"due_by":1772700000,"has_evidence":false},"metadata":{}}`
	for _, c := range []struct {
		kind, object string
		want         pay.Notification
	}{
		{"refund.failed", ours, failed},
		{"refund.updated", ours, failed},
		{"charge.refund.updated", ours, failed},
		{"refund.updated", strings.Replace(ours, `"status":"failed","failure_reason":"lost_or_stolen_card"`,
			`"status":"canceled"`, 1), canceled},
		{"refund.created", dashboardRefund, outside},
		{"refund.updated", dashboardRefund, outside},
		{"refund.updated", strings.Replace(dashboardRefund, "succeeded", "failed", 1), outsideFailed},
		{"charge.refunded", `{"id":"ch_1","object":"charge","payment_intent":"pi_1","refunds":{"data":[` + ours +
			`,` + dashboardRefund + `]}}`, outside},
		{"charge.dispute.created", dispute, disputed},
		{"charge.dispute.updated", dispute, disputed},
		{"charge.dispute.closed", dispute, disputed},
		{"charge.dispute.funds_withdrawn", dispute, disputed},
		{"charge.dispute.funds_reinstated", dispute, disputed},
	} {
		body := stripeEvent(c.kind, c.object)
		n, err := s.Verify(signed(body, testSecret, double.Now), body)
		require.NoError(t, err, c.kind)
		require.Equal(t, c.want, n, c.kind)
	}
}

// Before version 2022-11-15 of the API, the charge lists the refunds that it had so far.
func TestStripeReportsEachRefundOfACharge(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	second := strings.Replace(dashboardRefund, "re_9", "re_8", 1)
	failed := strings.Replace(strings.Replace(dashboardRefund, "re_9", "re_7", 1), "succeeded", "failed", 1)
	body := stripeEvent("charge.refunded", `{"id":"ch_1","object":"charge","payment_intent":"pi_1","refunds":{"data":[`+
		dashboardRefund+`,`+failed+`,`+second+`]}}`)
	n, err := s.Verify(signed(body, testSecret, double.Now), body)
	require.NoError(t, err)
	require.Equal(t, "re_9", n.RefundNumber)
	require.Len(t, n.Also, 1)
	require.Equal(t, "re_8", n.Also[0].RefundNumber)
	require.Equal(t, "pi_1", n.Also[0].TransactionID)
	require.NotEqual(t, n.EventID, n.Also[0].EventID)
}

func TestStripeSaysWhoHasTheMoneyOfADispute(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]pay.DisputeState{
		"warning_needs_response": pay.DisputeOpen, "warning_under_review": pay.DisputeOpen,
		"needs_response": pay.DisputeOpen, "under_review": pay.DisputeOpen, "unheard_of": pay.DisputeOpen,
		"warning_closed": pay.DisputeWon, "won": pay.DisputeWon, "prevented": pay.DisputeWon, "lost": pay.DisputeLost,
	} {
		n, err := readDispute([]byte(`{"id":"dp_1","payment_intent":"pi_1","status":"`+status+`",`+
			`"is_charge_refundable":true,"evidence_details":{"due_by":null}}`), 5)
		require.NoError(t, err)
		require.Equal(t, pay.DisputeStep{
			ID: "dp_1", State: want, Status: status, Refundable: true, AtMS: 5000,
		}, n.Dispute)
	}
}

func TestStripeReportsOnlyEventsThatNeedAttention(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	ours := `{"id":"re_1","object":"refund","status":"succeeded","amount":40,"currency":"eur",` +
		`"payment_intent":"pi_1","metadata":{"refund_number":"77"}}`
	for _, c := range [][2]string{
		{"refund.created", ours},
		{"refund.updated", strings.Replace(ours, "succeeded", "pending", 1)},
		{"refund.created", strings.Replace(dashboardRefund, `"pi_1"`, `null`, 1)},
		{"charge.refunded", `{"id":"ch_1","object":"charge","payment_intent":"pi_1"}`},
		{
			"charge.refunded",
			`{"id":"ch_1","object":"charge","payment_intent":"pi_1","refunds":{"data":[` + ours + `]}}`,
		},
		{"charge.dispute.created", `{"id":"dp_1","object":"dispute","amount":100,"currency":"eur","charge":"ch_1"}`},
		{"customer.created", `{"id":"cus_1"}`},
	} {
		body := stripeEvent(c[0], c[1])
		_, err := s.Verify(signed(body, testSecret, double.Now), body)
		require.ErrorIs(t, err, pay.ErrNotPayment, c)
	}
	for _, kind := range []string{"refund.failed", "charge.refunded", "charge.dispute.created"} {
		body := stripeEvent(kind, `[]`)
		_, err := s.Verify(signed(body, testSecret, double.Now), body)
		require.ErrorIs(t, err, pay.ErrUnreadable)
		require.NotErrorIs(t, err, pay.ErrSignature)
	}
	body := []byte(strings.Replace(string(stripeEvent("refund.created", dashboardRefund)), "evt_1", "", 1))
	_, err := s.Verify(signed(body, testSecret, double.Now), body)
	require.ErrorContains(t, err, "no id")
}
