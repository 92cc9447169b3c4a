package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/double"
)

const testSecret = "whsec_test_0123456789"

type keptError struct {
	status int
	code   string
}

// fakeStripe answers as Stripe's documents of PaymentIntents, refunds and idempotent requests say, as far
// as the gateway asks.
type fakeStripe struct {
	mu        sync.Mutex
	byKey     map[string]map[string]any // what an idempotency key made
	asked     map[string]string         // what an idempotency key's first request asked for
	intents   map[string]map[string]any
	refunds   []map[string]any
	methods   []string // of the last intent
	live      bool     // new objects are of live mode
	state     string   // of refunds that are made, if not succeeded
	forgetful bool     // idempotency keys are forgotten at once
	fails     keptError
	kept      map[string]keptError // what an idempotency key's first request was refused with
	hidden    bool                 // the list of refunds is empty
	creates   int                  // requests with an idempotency key that were carried out
	answer    func(w http.ResponseWriter) bool
}

func newStripe(t *testing.T) (*Gateway, *fakeStripe) {
	t.Helper()
	fake := &fakeStripe{
		byKey: map[string]map[string]any{}, asked: map[string]string{}, intents: map[string]map[string]any{},
		kept: map[string]keptError{},
	}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	s, err := New(Config{
		SecretKey: "sk_test_1", PublishableKey: "pk_test_1", WebhookSecret: testSecret, BaseURL: server.URL,
	}, double.Clock)
	require.NoError(t, err)
	return s, fake
}

func (f *fakeStripe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answer != nil && f.answer(w) {
		return
	}
	if user, _, _ := r.BasicAuth(); user != "sk_test_1" && r.Header.Get("Authorization") != "Bearer sk_test_1" {
		f.refuse(w, 401, "", "")
		return
	}
	_ = r.ParseForm()
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch isPost := r.Method == http.MethodPost; {
	case isPost && r.URL.Path == "/v1/payment_intents":
		f.create(w, r, f.makeIntent)
	case isPost && r.URL.Path == "/v1/refunds":
		f.create(w, r, f.makeRefund)
	case r.URL.Path == "/v1/refunds":
		f.list(w, r.URL.Query().Get("payment_intent"))
	case parts[0] == "payment_intents" && len(parts) > 1 && f.intents[parts[1]] == nil:
		f.refuse(w, 404, "resource_missing", "")
	case parts[0] == "payment_intents" && len(parts) == 2:
		f.give(w, f.intents[parts[1]])
	case isPost && parts[0] == "payment_intents" && parts[2] == "cancel":
		if status := f.intents[parts[1]]["status"]; status != "requires_payment_method" {
			f.refuse(w, 400, "payment_intent_unexpected_state", parts[1])
			return
		}
		f.intents[parts[1]]["status"] = "canceled"
		f.give(w, f.intents[parts[1]])
	default:
		f.refuse(w, 404, "resource_missing", "")
	}
}

// create carries out what an idempotency key asks for once, and answers as it did then. The key stands for
// the parameters of its first request.
func (f *fakeStripe) create(
	w http.ResponseWriter, r *http.Request, object func(form url.Values) (map[string]any, string),
) {
	key, form := r.Header.Get("Idempotency-Key"), r.PostForm.Encode()
	had, made := f.byKey[key]
	kept, failed := f.kept[key]
	switch {
	case key == "" || len(key) > 255:
		f.refuse(w, 400, "idempotency_key_needed_here", "")
	case !f.forgetful && f.asked[key] != "" && f.asked[key] != form:
		w.WriteHeader(400)
		_, _ = w.Write([]byte(`{"error":{"type":"idempotency_error","message":"other parameters"}}`))
	case failed:
		w.Header().Set("Idempotent-Replayed", "true")
		f.refuse(w, kept.status, kept.code, "")
	case made && !f.forgetful:
		w.Header().Set("Idempotent-Replayed", "true")
		f.give(w, had)
	case f.fails.status != 0:
		f.creates++
		f.kept[key], f.asked[key] = f.fails, form
		f.refuse(w, f.fails.status, f.fails.code, "")
	default:
		f.creates++
		f.asked[key] = form
		made, refused := object(r.PostForm)
		if refused != "" {
			f.kept[key] = keptError{400, refused}
			f.refuse(w, 400, refused, "")
			return
		}
		f.byKey[key] = maps.Clone(made) // it stays as it is now
		f.give(w, made)
	}
}

var (
	whole          = regexp.MustCompile(`^[1-9][0-9]{0,7}$`)
	stripeCurrency = []string{"eur", "usd", "jpy", "huf", "kwd", "tnd", "gbp"} // in lower case, and some of them
	stripeMethods  = []string{"card", "link", "ideal", "bancontact"}
)

func (f *fakeStripe) makeIntent(form url.Values) (made map[string]any, refused string) {
	amount, currency := form.Get("amount"), form.Get("currency")
	f.methods = nil
	for name, values := range form {
		switch {
		case strings.HasPrefix(name, "payment_method_types["):
			f.methods = append(f.methods, values...)
		case !slices.Contains([]string{"amount", "currency", "metadata[pay_number]"}, name):
			return nil, "parameter_unknown"
		}
	}
	slices.Sort(f.methods)
	switch {
	case !whole.MatchString(amount):
		return nil, "parameter_invalid_integer"
	case !slices.Contains(stripeCurrency, currency) || len(f.methods) == 0:
		return nil, "parameter_invalid"
	}
	for _, method := range f.methods {
		if !slices.Contains(stripeMethods, method) {
			return nil, "payment_intent_invalid_parameter"
		}
	}
	id := fmt.Sprintf("pi_%d", len(f.intents)+1)
	f.intents[id] = map[string]any{
		"id": id, "object": "payment_intent", "status": "requires_payment_method", "amount": json.Number(amount),
		"currency": currency, "client_secret": id + "_secret_x", "amount_received": 0, "livemode": f.live,
		"metadata": map[string]string{"pay_number": form.Get("metadata[pay_number]")},
	}
	return f.intents[id], ""
}

// makeRefund refunds a part of what an intent received, in total at most that.
func (f *fakeStripe) makeRefund(form url.Values) (made map[string]any, refused string) {
	intent := f.intents[form.Get("payment_intent")]
	if intent == nil {
		return nil, "resource_missing"
	}
	amount, err := strconv.Atoi(form.Get("amount"))
	left, _ := intent["amount_received"].(int)
	for _, had := range f.refunds {
		if had["payment_intent"] == intent["id"] && had["status"] != "failed" && had["status"] != "canceled" {
			back, _ := strconv.Atoi(string(had["amount"].(json.Number)))
			left -= back
		}
	}
	switch {
	case err != nil || amount < 1:
		return nil, "parameter_invalid_integer"
	case left == 0:
		return nil, "charge_already_refunded"
	case amount > left:
		return nil, "amount_too_large"
	}
	status := "succeeded"
	if f.state != "" {
		status = f.state
	}
	made = map[string]any{
		"id": fmt.Sprintf("re_%d", len(f.refunds)+1), "object": "refund", "status": status,
		"amount": json.Number(form.Get("amount")), "payment_intent": intent["id"],
		"metadata": map[string]string{"refund_number": form.Get("metadata[refund_number]")},
	}
	f.refunds = append(f.refunds, made)
	return made, ""
}

// list gives the refunds of an intent, the newest first.
func (f *fakeStripe) list(w http.ResponseWriter, intent string) {
	had := []map[string]any{}
	for _, r := range slices.Backward(f.refunds) {
		if r["payment_intent"] == intent && !f.hidden {
			had = append(had, r)
		}
	}
	f.give(w, map[string]any{"object": "list", "has_more": false, "url": "/v1/refunds", "data": had})
}

func (f *fakeStripe) give(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what)
}

func (f *fakeStripe) refuse(w http.ResponseWriter, status int, code, intent string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"type": "invalid_request_error", "code": code, "message": "key sk_test_1", "payment_intent": f.intents[intent],
	}})
}

func (f *fakeStripe) set(intent, status string, received int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.intents[intent]["status"], f.intents[intent]["amount_received"] = status, received
}

// becomes changes the state of a refund that was made.
func (f *fakeStripe) becomes(i int, state string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refunds[i]["status"], f.refunds[i]["failure_reason"] = state, "expired_or_canceled_card"
}

// stripeMAC is the signature v1 of Stripe's document on webhooks: HMAC with SHA-256 over time, full stop
// and body, with the whole secret as key.
func stripeMAC(secret, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(at + "." + string(body)))
	return hex.EncodeToString(mac.Sum(nil))
}

func signed(body []byte, secret string, at time.Time) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	return http.Header{"Stripe-Signature": {"t=" + stamp + ",v1=" + stripeMAC(secret, stamp, body)}}
}

// believes says whether one of the signatures of a header is right.
func believes(header string, body []byte) bool {
	var at string
	var signatures []string
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			at = value
		case "v1":
			signatures = append(signatures, strings.ToLower(value))
		}
	}
	return slices.Contains(signatures, stripeMAC(testSecret, at, body))
}
