package stripe

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"github.com/stripe/stripe-go/v84"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// refundReport is a refund in a notification. The intent is that of the refunded payment.
type refundReport struct {
	ID       string              `json:"id"`
	Status   stripe.RefundStatus `json:"status"`
	Amount   int64               `json:"amount"`
	Currency string              `json:"currency"`
	Intent   string              `json:"payment_intent"`
	Failure  string              `json:"failure_reason"`
	Metadata map[string]string   `json:"metadata"`
}

// readRefund reads the report of a refund. One by this program that failed is made again, even if it had
// succeeded before; one without our number was made on the dashboard, or by another program.
func readRefund(raw json.RawMessage) (pay.Notification, error) {
	var back refundReport
	if err := json.Unmarshal(raw, &back); err != nil {
		return pay.Notification{}, errors.New("stripe: the refund of a notification can't be read")
	}
	return back.notification()
}

func (b *refundReport) notification() (pay.Notification, error) {
	number, ours := b.Metadata[refundNumber]
	failed := refundFailed(b.Status)
	if b.Intent == "" || ours != failed {
		return pay.Notification{}, pay.ErrNotPayment // ours has not failed, or one of others paid nothing back
	}
	n := pay.Notification{TransactionID: b.Intent, Amount: b.Amount, Currency: strings.ToUpper(b.Currency)}
	if ours {
		n.Kind, n.RefundNumber, n.Reason = pay.KindRefundFailed, number,
			gateway.CodeOnly(cmp.Or(b.Failure, string(b.Status)))
		return n, nil
	}
	n.Kind, n.Reason = pay.KindRefundedOutside, gateway.CodeOnly(b.ID)
	return n, nil
}

// readCharge reads the report of a charge that was refunded at least in part. API versions before
// 2022-11-15 list the refunds in the charge; later ones report each in refund.created.
func readCharge(raw json.RawMessage) (pay.Notification, error) {
	var charge struct {
		Intent  string `json:"payment_intent"`
		Refunds struct {
			Data []refundReport `json:"data"`
		} `json:"refunds"`
	}
	if err := json.Unmarshal(raw, &charge); err != nil {
		return pay.Notification{}, errors.New("stripe: the charge of a notification can't be read")
	}
	for _, back := range charge.Refunds.Data {
		back.Intent = cmp.Or(back.Intent, charge.Intent)
		if n, err := back.notification(); err == nil && n.Kind == pay.KindRefundedOutside {
			return n, nil
		}
	}
	return pay.Notification{}, pay.ErrNotPayment
}

// readDispute reads the report of a dispute in any state, since an operator must see each step.
func readDispute(raw json.RawMessage) (pay.Notification, error) {
	var dispute struct {
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
		Intent   string `json:"payment_intent"`
		Reason   string `json:"reason"`
	}
	if err := json.Unmarshal(raw, &dispute); err != nil {
		return pay.Notification{}, errors.New("stripe: the dispute of a notification can't be read")
	}
	if dispute.Intent == "" {
		return pay.Notification{}, pay.ErrNotPayment // the payment had no intent, so it is not ours
	}
	return pay.Notification{
		Kind: pay.KindDisputed, TransactionID: dispute.Intent, Amount: dispute.Amount,
		Currency: strings.ToUpper(dispute.Currency), Reason: gateway.CodeOnly(dispute.Reason),
	}, nil
}
