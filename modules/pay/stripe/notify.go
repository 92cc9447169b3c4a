package stripe

import (
	"encoding/json"
	"strings"

	"github.com/stripe/stripe-go/v84"

	"onrush/modules/order"
	"onrush/modules/pay"
)

// readEvent reads an event whose signature was checked.
func readEvent(event stripe.Event) (n pay.Notification, err error) {
	switch event.Type { // other types report nothing to process
	case stripe.EventTypePaymentIntentSucceeded:
		n, err = readIntent(event.Data.Raw)
	case stripe.EventTypeRefundCreated, stripe.EventTypeRefundUpdated, stripe.EventTypeRefundFailed,
		stripe.EventTypeChargeRefundUpdated:
		n, err = readRefund(event.Data.Raw)
	case stripe.EventTypeChargeRefunded:
		n, err = readCharge(event.Data.Raw)
	case stripe.EventTypeChargeDisputeCreated, stripe.EventTypeChargeDisputeUpdated,
		stripe.EventTypeChargeDisputeClosed, stripe.EventTypeChargeDisputeFundsWithdrawn,
		stripe.EventTypeChargeDisputeFundsReinstated:
		n, err = readDispute(event.Data.Raw, event.Created)
	default:
		return pay.Notification{}, pay.ErrNotPayment
	}
	if err == nil && event.ID == "" {
		err = pay.Unreadable("stripe: a notification has no id")
	}
	if err != nil {
		return pay.Notification{}, err
	}
	n.EventID = event.ID
	for i := range n.Also {
		n.Also[i].EventID = event.ID + "/" + n.Also[i].RefundNumber
	}
	return n, nil
}

func readIntent(raw json.RawMessage) (pay.Notification, error) {
	var intent struct {
		ID       string            `json:"id"`
		Status   string            `json:"status"`
		Received int64             `json:"amount_received"`
		Currency string            `json:"currency"`
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &intent); err != nil {
		return pay.Notification{}, pay.Unreadable("stripe: the intent of a notification can't be read")
	}
	text, ours := intent.Metadata[payNumber]
	if !ours || intent.Status != string(stripe.PaymentIntentStatusSucceeded) {
		return pay.Notification{}, pay.ErrNotPayment // another program may use the same account
	}
	n, err := order.ParseNumber(text)
	if err != nil {
		return pay.Notification{}, pay.Unreadable("stripe: the pay_number of an intent is another program's")
	}
	if intent.ID == "" || intent.Received <= 0 || intent.Currency == "" {
		return pay.Notification{}, pay.Unreadable("stripe: an intent lacks its id, amount or currency")
	}
	return pay.Notification{
		TransactionID: intent.ID, PayNumber: n, Amount: intent.Received, Currency: strings.ToUpper(intent.Currency),
	}, nil
}
