package stripe

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"onrush/test/double"
)

// Double is Stripe, and the buyers who pay there, for the tests of the channel in a platform.
type Double struct {
	*double.Silent

	URL  string
	fake *fakeStripe
}

// The settings of the channel at a Double.
const (
	DoubleKey       = "sk_test_1"
	DoublePublic    = "pk_test_1"
	DoubleWebhooks  = testSecret
	receivedByEvent = "amount_received"
)

// NewDouble starts a Double.
func NewDouble(t *testing.T) *Double {
	t.Helper()
	fake := &fakeStripe{
		byKey: map[string]map[string]any{}, asked: map[string]string{}, intents: map[string]map[string]any{},
		kept: map[string]keptError{},
	}
	d := &Double{Silent: double.NewSilent(fake), fake: fake}
	server := httptest.NewServer(d)
	t.Cleanup(server.CloseClientConnections)
	d.URL = server.URL
	return d
}

// intent returns the intent of a payment; nil if there is none.
func (d *Double) intent(payNumber string) map[string]any {
	for _, intent := range d.fake.intents {
		if intent["metadata"].(map[string]string)["pay_number"] == payNumber {
			return intent
		}
	}
	return nil
}

// Pay pays an intent in Stripe's form, which takes the whole amount, and returns the notification.
func (d *Double) Pay(payNumber string, amount int64, at time.Time) (header http.Header, body []byte, taken bool) {
	d.fake.mu.Lock()
	defer d.fake.mu.Unlock()
	intent := d.intent(payNumber)
	if intent == nil || intent["status"] != "requires_payment_method" ||
		intent["amount"] != json.Number(strconv.FormatInt(amount, 10)) {
		return nil, nil, false
	}
	intent["status"], intent[receivedByEvent] = "succeeded", int(amount)
	object, err := json.Marshal(intent)
	if err != nil {
		return nil, nil, false
	}
	body = fmt.Appendf(nil, `{"id":"evt_%s","object":"event","api_version":"2024-10-28.acacia","created":%d,`+
		`"livemode":false,"type":"payment_intent.succeeded","data":{"object":%s}}`, intent["id"], at.Unix(), object)
	return signed(body, testSecret, at), body, true
}

// Returned is what was paid back of a payment.
func (d *Double) Returned(payNumber string) (sum int64) {
	d.fake.mu.Lock()
	defer d.fake.mu.Unlock()
	intent := d.intent(payNumber)
	for _, r := range d.fake.refunds {
		if intent != nil && r["payment_intent"] == intent["id"] {
			amount, _ := strconv.ParseInt(string(r["amount"].(json.Number)), 10, 64)
			sum += amount
		}
	}
	return sum
}
