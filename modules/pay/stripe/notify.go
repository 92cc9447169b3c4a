package stripe

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v84"
	"github.com/stripe/stripe-go/v84/webhook"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// Verify checks Stripe-Signature and reads the notification. It checks the age itself, since the library
// doesn't use our clock and accepts times in the future.
func (g *Gateway) Verify(header http.Header, body []byte) (pay.Notification, error) {
	signatures := header.Values("Stripe-Signature")
	if len(signatures) != 1 || len(body) > gateway.MaxNotification {
		return pay.Notification{}, fmt.Errorf("%w: it has not one Stripe-Signature, or is too long", pay.ErrSignature)
	}
	if err := g.checkSignedAt(signatures[0]); err != nil {
		return pay.Notification{}, err
	}
	event, err := webhook.ConstructEventWithOptions(body, signatures[0], g.cfg.WebhookSecret,
		// Only fields of all API versions are read.
		webhook.ConstructEventOptions{IgnoreTolerance: true, IgnoreAPIVersionMismatch: true})
	switch {
	case errors.Is(err, webhook.ErrNoValidSignature), errors.Is(err, webhook.ErrInvalidHeader),
		errors.Is(err, webhook.ErrNotSigned), errors.Is(err, webhook.ErrTooOld):
		return pay.Notification{}, fmt.Errorf("%w: %w", pay.ErrSignature, err)
	case err != nil:
		return pay.Notification{}, errors.New("stripe: a signed notification can't be read")
	}
	if err := gateway.CheckJSON(body); err != nil {
		return pay.Notification{}, fmt.Errorf("stripe: %w", err)
	}
	if event.Account != "" || event.Data == nil {
		return pay.Notification{}, pay.ErrNotPayment // from an account that is connected to ours
	}
	if event.Livemode != g.live {
		return pay.Notification{}, fmt.Errorf("%w: its livemode doesn't match the keys", pay.ErrSignature)
	}
	return readEvent(event)
}

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
		err = errors.New("stripe: a notification has no id")
	}
	if err != nil {
		return pay.Notification{}, err
	}
	n.EventID = event.ID
	return n, nil
}

// checkSignedAt checks the age by the time in the header, which must have exactly one.
func (g *Gateway) checkSignedAt(header string) error {
	var times []string
	for part := range strings.SplitSeq(header, ",") {
		if text, ok := strings.CutPrefix(part, "t="); ok {
			times = append(times, text)
		}
	}
	if len(times) != 1 {
		return fmt.Errorf("%w: it must have exactly one time", pay.ErrSignature)
	}
	sec, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: its time can't be read", pay.ErrSignature)
	}
	return gateway.CheckAge(g.now(), time.Unix(sec, 0))
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
		return pay.Notification{}, errors.New("stripe: the intent of a notification can't be read")
	}
	text, ours := intent.Metadata[payNumber]
	if !ours || intent.Status != string(stripe.PaymentIntentStatusSucceeded) {
		return pay.Notification{}, pay.ErrNotPayment // another program may use the same account
	}
	n, err := order.ParseNumber(text)
	if err != nil {
		return pay.Notification{}, fmt.Errorf("stripe: pay number of a notification: %w", err)
	}
	if intent.ID == "" || intent.Received <= 0 || intent.Currency == "" {
		return pay.Notification{}, errors.New("stripe: the intent of a notification lacks its id, amount or currency")
	}
	return pay.Notification{
		TransactionID: intent.ID, PayNumber: n, Amount: intent.Received, Currency: strings.ToUpper(intent.Currency),
	}, nil
}
