package remote

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/modules/pay/hosted"
)

// report is the body of a notification.
type report struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// reported is the data of a notification of any type.
type reported struct {
	PayNumber     string   `json:"pay_number"`
	Transaction   string   `json:"transaction_id"`
	Amount        int64    `json:"amount"`
	Currency      string   `json:"currency"`
	RefundNumber  string   `json:"refund_number"`
	RefundedTotal int64    `json:"refunded_total"`
	Reason        string   `json:"reason"`
	Test          bool     `json:"test"`
	Dispute       *dispute `json:"dispute"`
}

// dispute is a step of a dispute.
type dispute struct {
	ID         string    `json:"dispute_id"`
	State      string    `json:"state"`
	Status     string    `json:"status"`
	Refundable bool      `json:"refundable"`
	DueAt      time.Time `json:"due_at"`
	At         time.Time `json:"at"`
}

// kinds are the kinds of notifications, by their types.
var kinds = map[string]string{
	"payment.paid": hosted.Paid, "refund.failed": hosted.RefundFailed, "refund.done": hosted.Refunded,
	"dispute.changed": hosted.Disputed,
}

// Parse reads a notification. A type that it doesn't know reports nothing.
func (g *Gateway) Parse(header http.Header, body []byte) (hosted.Notification, error) {
	if err := g.check(header, body); err != nil {
		return hosted.Notification{}, err
	}
	var r report
	if err := gateway.ReadJSON(body, &r); err != nil {
		return hosted.Notification{}, pay.Unreadable("a notification that is not JSON as it should be")
	}
	kind, known := kinds[r.Type]
	if !known {
		return hosted.Notification{}, pay.ErrNotPayment
	}
	var d reported
	if err := json.Unmarshal(r.Data, &d); err != nil {
		return hosted.Notification{}, pay.Unreadable("a notification whose data is not as it should be")
	}
	if d.Test != g.test {
		return hosted.Notification{}, pay.Unreadable("a notification of the other mode, test or live")
	}
	n := hosted.Notification{
		Kind: kind, ID: header.Get(webhooks.HeaderWebhookID), Transaction: d.Transaction, Payment: d.PayNumber,
		Amount: d.Amount, Currency: d.Currency, RefundNumber: d.RefundNumber, RefundedTotal: d.RefundedTotal,
		Reason: d.Reason,
	}
	if d.Dispute != nil {
		n.DisputeID, n.DisputeState, n.DisputeStatus = d.Dispute.ID, d.Dispute.State, d.Dispute.Status
		n.Refundable, n.DueMS, n.AtMS = d.Dispute.Refundable, millis(d.Dispute.DueAt), millis(d.Dispute.At)
	}
	return n, nil
}

// millis returns a time in UTC milliseconds; 0 for none.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// maxSignatures bounds the signatures of a notification.
const maxSignatures = 16

// check checks the signature and the age of a notification. The error is pay.ErrSignature.
func (g *Gateway) check(header http.Header, body []byte) error {
	for _, name := range []string{
		webhooks.HeaderWebhookID, webhooks.HeaderWebhookTimestamp, webhooks.HeaderWebhookSignature,
	} {
		if len(header.Values(name)) != 1 { // of two values, another parser might use the other
			return pay.ErrSignature
		}
	}
	id, timestamp := header.Get(webhooks.HeaderWebhookID), header.Get(webhooks.HeaderWebhookTimestamp)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || strings.Contains(id, ".") || strconv.FormatInt(seconds, 10) != timestamp ||
		strings.Count(header.Get(webhooks.HeaderWebhookSignature), " ") >= maxSignatures {
		return pay.ErrSignature
	}
	if err := gateway.CheckAge(g.now(), time.Unix(seconds, 0)); err != nil {
		return err
	}
	if !g.keys.Accepts(header, body) {
		return pay.ErrSignature
	}
	return nil
}
