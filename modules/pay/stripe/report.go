package stripe

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/stripe/stripe-go/v84"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// refundReport is a refund in a notification. Intent is the intent of the refunded payment.
type refundReport struct {
	ID       string              `json:"id"`
	Status   stripe.RefundStatus `json:"status"`
	Amount   int64               `json:"amount"`
	Currency string              `json:"currency"`
	Intent   string              `json:"payment_intent"`
	Failure  string              `json:"failure_reason"`
	Metadata map[string]string   `json:"metadata"`
}

// readRefund reads the report of a refund. One by this program that failed is made again, even if it had succeeded
// before; one without our number was made on the dashboard, or by another program, and counts until it fails.
func readRefund(raw json.RawMessage) (pay.Notification, error) {
	var back refundReport
	if err := json.Unmarshal(raw, &back); err != nil {
		return pay.Notification{}, pay.Unreadable("stripe: the refund of a notification can't be read")
	}
	return back.notification()
}

func (b *refundReport) notification() (pay.Notification, error) {
	number, ours := b.Metadata[refundNumber]
	failed := refundFailed(b.Status)
	if b.Intent == "" || ours && !failed || !ours && b.ID == "" {
		return pay.Notification{}, pay.ErrNotPayment // Refunder queries this program's refunds itself
	}
	n := pay.Notification{TransactionID: b.Intent, Amount: b.Amount, Currency: strings.ToUpper(b.Currency)}
	n.Kind, n.RefundNumber = pay.KindRefundedOutside, gateway.CodeOnly(b.ID)
	if ours {
		n.RefundNumber = number
	}
	if failed {
		n.Kind, n.Reason = pay.KindRefundFailed, gateway.CodeOnly(cmp.Or(b.Failure, string(b.Status)))
	}
	return n, nil
}

// readCharge reads the report of a charge that was refunded at least in part. API versions before 2022-11-15 list all
// refunds so far in the charge, and each of them is booked once; later versions report each refund in refund.created.
func readCharge(raw json.RawMessage) (pay.Notification, error) {
	var charge struct {
		Intent  string `json:"payment_intent"`
		Refunds struct {
			Data []refundReport `json:"data"`
		} `json:"refunds"`
	}
	if err := json.Unmarshal(raw, &charge); err != nil {
		return pay.Notification{}, pay.Unreadable("stripe: the charge of a notification can't be read")
	}
	var made []pay.Notification
	for _, back := range charge.Refunds.Data {
		back.Intent = cmp.Or(back.Intent, charge.Intent)
		if n, err := back.notification(); err == nil && n.Kind == pay.KindRefundedOutside {
			made = append(made, n)
		}
	}
	if len(made) == 0 {
		return pay.Notification{}, pay.ErrNotPayment
	}
	first := made[0]
	if len(made) > 1 {
		first.Also = made[1:]
	}
	return first, nil
}

// readDispute reads the report of a dispute in any state; created is when Stripe made the report, in Unix seconds.
func readDispute(raw json.RawMessage, created int64) (pay.Notification, error) {
	var dispute struct {
		ID         string `json:"id"`
		Amount     int64  `json:"amount"`
		Currency   string `json:"currency"`
		Intent     string `json:"payment_intent"`
		Reason     string `json:"reason"`
		Status     string `json:"status"`
		Refundable bool   `json:"is_charge_refundable"`
		Evidence   struct {
			DueBy int64 `json:"due_by"` // Unix seconds; null without a date
		} `json:"evidence_details"`
	}
	if err := json.Unmarshal(raw, &dispute); err != nil {
		return pay.Notification{}, pay.Unreadable("stripe: the dispute of a notification can't be read")
	}
	switch {
	case dispute.Intent == "":
		return pay.Notification{}, pay.ErrNotPayment // the payment had no intent, so it is not ours
	case dispute.ID == "" || dispute.Status == "" || dispute.Amount < 0:
		return pay.Notification{}, pay.Unreadable("stripe: the dispute of a notification lacks its id or status")
	}
	return pay.Notification{
		Kind: pay.KindDisputed, TransactionID: dispute.Intent, Amount: dispute.Amount,
		Currency: strings.ToUpper(dispute.Currency), Reason: gateway.CodeOnly(dispute.Reason),
		Dispute: pay.DisputeStep{
			ID: gateway.CodeOnly(dispute.ID), State: disputeState(dispute.Status),
			Status: gateway.CodeOnly(dispute.Status), Refundable: dispute.Refundable,
			DueMS: dispute.Evidence.DueBy * 1000, AtMS: created * 1000,
		},
	}, nil
}

// disputeState returns the state of a dispute by its status. One whose status is not known is open: the worst is
// assumed.
func disputeState(status string) pay.DisputeState {
	switch stripe.DisputeStatus(status) { //nolint:exhaustive // all others are open
	case stripe.DisputeStatusWon, stripe.DisputeStatusWarningClosed, "prevented":
		return pay.DisputeWon
	case stripe.DisputeStatusLost:
		return pay.DisputeLost
	}
	return pay.DisputeOpen
}
