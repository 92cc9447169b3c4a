package pay

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v84/webhook"

	"onrush/modules/order"
	"onrush/web"
)

const stripeTestSecret = "whsec_test_0123456789"

// gatewayNow is the time of the gateways' tests.
var gatewayNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func gatewayClock() time.Time { return gatewayNow }

type keptError struct {
	status int
	code   string
}

// fakeStripe answers as the API does, as far as the gateway asks.
type fakeStripe struct {
	mu        sync.Mutex
	byKey     map[string]map[string]any // what an idempotency key made
	intents   map[string]map[string]any
	refunds   []map[string]any
	state     string // of refunds that are made, if not succeeded
	forgetful bool   // idempotency keys are forgotten at once
	fails     keptError
	kept      map[string]keptError // what an idempotency key's first request was refused with
	hidden    bool                 // the list of refunds is empty
	creates   int                  // requests with an idempotency key that were carried out
	answer    func(w http.ResponseWriter) bool
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
	key := r.Header.Get("Idempotency-Key")
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	if f.keptOrFails(w, key) {
		return
	}
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents":
		if had, ok := f.byKey[key]; ok {
			w.Header().Set("Idempotent-Replayed", "true")
			f.give(w, had)
			return
		}
		id := fmt.Sprintf("pi_%d", len(f.intents)+1)
		f.intents[id] = map[string]any{
			"id": id, "object": "payment_intent", "status": "requires_payment_method", "amount": json.Number(r.PostForm.Get("amount")),
			"currency": r.PostForm.Get("currency"), "client_secret": id + "_secret_x", "amount_received": 0,
			"metadata": map[string]string{"pay_number": r.PostForm.Get("metadata[pay_number]")},
		}
		f.byKey[key] = maps.Clone(f.intents[id])
		f.give(w, f.intents[id])
	case parts[0] == "payment_intents" && len(parts) == 2:
		f.give(w, f.intents[parts[1]])
	case parts[0] == "payment_intents" && parts[2] == "cancel":
		if status := f.intents[parts[1]]["status"]; status != "requires_payment_method" {
			f.refuse(w, 400, "payment_intent_unexpected_state", parts[1])
			return
		}
		f.intents[parts[1]]["status"] = "canceled"
		f.give(w, f.intents[parts[1]])
	case r.Method == http.MethodGet && r.URL.Path == "/v1/refunds":
		had := newestFirst(f.refunds)
		if f.hidden {
			had = []map[string]any{}
		}
		f.give(w, map[string]any{"object": "list", "has_more": false, "url": "/v1/refunds", "data": had})
	case r.Method == http.MethodPost && r.URL.Path == "/v1/refunds":
		if had, ok := f.byKey[key]; ok && !f.forgetful {
			w.Header().Set("Idempotent-Replayed", "true")
			f.give(w, had)
			return
		}
		status := "succeeded"
		if f.state != "" {
			status = f.state
		}
		made := map[string]any{
			"id": fmt.Sprintf("re_%d", len(f.refunds)+1), "object": "refund", "status": status,
			"amount": json.Number(r.PostForm.Get("amount")), "payment_intent": r.PostForm.Get("payment_intent"),
			"metadata": map[string]string{"refund_number": r.PostForm.Get("metadata[refund_number]")},
		}
		f.byKey[key] = maps.Clone(made) // it stays as it is now
		f.refunds = append(f.refunds, made)
		f.give(w, made)
	default:
		f.refuse(w, 404, "resource_missing", "")
	}
}

// keptOrFails answers with the error that the first request with this key got, or now gets.
func (f *fakeStripe) keptOrFails(w http.ResponseWriter, key string) bool {
	if key == "" {
		return false
	}
	if had, ok := f.kept[key]; ok {
		w.Header().Set("Idempotent-Replayed", "true")
		f.refuse(w, had.status, had.code, "")
		return true
	}
	if f.creates++; f.fails.status == 0 {
		return false
	}
	f.kept[key] = f.fails
	f.refuse(w, f.fails.status, f.fails.code, "")
	return true
}

func newestFirst(refunds []map[string]any) []map[string]any {
	refunds = slices.Clone(refunds)
	slices.Reverse(refunds)
	return refunds
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

func newStripe(t *testing.T) (*Stripe, *fakeStripe) {
	t.Helper()
	fake := &fakeStripe{byKey: map[string]map[string]any{}, intents: map[string]map[string]any{}, kept: map[string]keptError{}}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	s, err := NewStripe(StripeConfig{SecretKey: "sk_test_1", PublishableKey: "pk_test_1", WebhookSecret: stripeTestSecret, BaseURL: server.URL}, gatewayClock)
	require.NoError(t, err)
	return s, fake
}

// begun is a payment of which a gateway was told.
func begun(t *testing.T, g Gateway, p *Payment) *Payment {
	t.Helper()
	next, err := g.Begin(t.Context(), p)
	require.NoError(t, err)
	text, err := json.Marshal(next)
	require.NoError(t, err)
	p.NextJSON = string(text)
	return p
}

func TestStripeBeginsOneIntentPerPayment(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	p := &Payment{Number: 123456789, Amount: 1299, Currency: "EUR"}
	first, err := s.Begin(t.Context(), p)
	require.NoError(t, err)
	again, err := s.Begin(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, map[string]string{"client_secret": "pi_1_secret_x", "publishable_key": "pk_test_1", "payment_intent": "pi_1"}, first.Params)
	require.Len(t, fake.intents, 1)
	require.Equal(t, "eur", fake.intents["pi_1"]["currency"])

	_, err = s.Begin(t.Context(), &Payment{Number: 6, Currency: "EUR"})
	require.Equal(t, web.CodeNotPayable, web.CodeOf(err))
}

func TestStripeTakesOnlyWhatItCountsAsTheNormDoes(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	part := func(amount int64) PaymentOrder { return PaymentOrder{Payment: 5, Order: 6, Amount: amount} }
	for _, p := range []*Payment{
		{Number: 5, Amount: 100, Currency: "ISK"},
		{Number: 5, Amount: 100, Currency: "UGX"},
		{Number: 5, Amount: 100, Currency: "MGA"},
		{Number: 5, Amount: 1000, Currency: "LYD"},
		{Number: 5, Amount: 1001, Currency: "KWD"},
		{Number: 5, Amount: 1000, Currency: "TND", Orders: []PaymentOrder{part(505), part(495)}},
	} {
		_, err := s.Begin(t.Context(), p)
		require.Equal(t, web.CodeInvalidRequest, web.CodeOf(err), p.Currency)
	}
	require.Empty(t, fake.intents)
	for i, p := range []*Payment{
		{Amount: 101, Currency: "JPY"}, {Amount: 101, Currency: "HUF"}, {Amount: 1010, Currency: "KWD", Orders: []PaymentOrder{part(500), part(510)}},
	} {
		p.Number = order.Number(5 + i)
		_, err := s.Begin(t.Context(), p)
		require.NoError(t, err, p.Currency)
	}
}

func TestStripeBeginsThoughItKeepsAnError(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	p := &Payment{Number: 123456789, Amount: 1299, Currency: "EUR"}
	fake.fails = keptError{status: 500}
	for range 3 {
		_, err := s.Begin(t.Context(), p)
		require.ErrorContains(t, err, "status 500")
	}
	fake.fails = keptError{}
	first, err := s.Begin(t.Context(), p)
	require.NoError(t, err)
	again, err := s.Begin(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Len(t, fake.intents, 1)
}

func TestStripeFindsAPaymentAgainByItsIntent(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	p := begun(t, s, &Payment{Number: 123456789, Amount: 1299, Currency: "EUR"})
	found, err := s.Query(t.Context(), p)
	require.NoError(t, err)
	require.False(t, found.Paid)

	fake.set("pi_1", "succeeded", 1299)
	found, err = s.Query(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, Found{Paid: true, TransactionID: "pi_1", Amount: 1299, Currency: "EUR"}, found)

	_, err = s.Query(t.Context(), &Payment{Number: 7, NextJSON: p.NextJSON})
	require.Error(t, err, "the intent is of another payment")

	found, err = s.Query(t.Context(), &Payment{Number: 8})
	require.NoError(t, err)
	require.False(t, found.Paid, "nobody was given the secret to pay it")
}

func TestStripeClosesOnlyWhatIsUnpaid(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	open := begun(t, s, &Payment{Number: 1, Amount: 100, Currency: "EUR"})
	require.NoError(t, s.Close(t.Context(), open))
	require.NoError(t, s.Close(t.Context(), open), "closed twice")
	require.NoError(t, s.Close(t.Context(), &Payment{Number: 9}), "never begun")

	paid := begun(t, s, &Payment{Number: 2, Amount: 100, Currency: "EUR"})
	fake.set("pi_2", "succeeded", 100)
	require.ErrorIs(t, s.Close(t.Context(), paid), ErrPaid)

	fake.set("pi_2", "processing", 0)
	err := s.Close(t.Context(), paid)
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrPaid)
}

func TestStripeErrorsTellNoSecret(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	p := begun(t, s, &Payment{Number: 1, Amount: 100, Currency: "EUR"})
	fake.set("pi_1", "processing", 0)
	answers := []func(w http.ResponseWriter) bool{
		nil,
		func(w http.ResponseWriter) bool {
			_, _ = w.Write([]byte(`{"client_secret":"pi_1_secret_x"`))
			return true
		},
		func(w http.ResponseWriter) bool {
			w.WriteHeader(402)
			_, _ = w.Write([]byte(`{"error":{"type":"card_error","message":"pi_1_secret_x sk_test_1","payment_intent":{"client_secret":"pi_1_secret_x"}}}`))
			return true
		},
		func(w http.ResponseWriter) bool {
			_, _ = w.Write([]byte(strings.Repeat(" ", maxAnswer+1)))
			return true
		},
	}
	for _, answer := range answers {
		fake.answer = answer
		err := s.Close(t.Context(), p)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "secret_x")
		require.NotContains(t, err.Error(), "sk_test")
	}
}

func stripeEvent(kind, intent string) []byte {
	return fmt.Appendf(nil, `{"id":"evt_1","object":"event","api_version":"2020-08-27","type":%q,"data":{"object":%s}}`, kind, intent)
}

const stripeIntentPaid = `{"id":"pi_1","object":"payment_intent","status":"succeeded","amount":1299,"amount_received":1299,"currency":"eur","metadata":{"pay_number":"123456789"}}`

const stripeRefundFailed = `{"id":"re_1","object":"refund","status":"failed","payment_intent":"pi_1","metadata":{"refund_number":"77","pay_number":"123456789"}}`

func stripeSigned(body []byte, secret string, at time.Time) http.Header {
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: at})
	return http.Header{"Stripe-Signature": {signed.Header}}
}

func TestStripeReadsASignedNotification(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	body := stripeEvent("payment_intent.succeeded", stripeIntentPaid)
	header := stripeSigned(body, stripeTestSecret, gatewayNow.Add(-4*time.Minute))
	for range 2 { // a replay is the core's to tell
		n, err := s.Verify(header, body)
		require.NoError(t, err)
		require.Equal(t, Notification{EventID: "evt_1", TransactionID: "pi_1", PayNumber: 123456789, Amount: 1299, Currency: "EUR"}, n)
	}
}

func TestStripeRefusesWhatIsNotSignedRightly(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	body := stripeEvent("payment_intent.succeeded", stripeIntentPaid)
	good := stripeSigned(body, stripeTestSecret, gatewayNow).Get("Stripe-Signature")
	huge := stripeEvent("payment_intent.succeeded", strings.Replace(stripeIntentPaid, "{", `{"x":"`+strings.Repeat("x", maxNotification)+`",`, 1))
	cases := map[string]struct {
		header http.Header
		body   []byte
	}{
		"no header":      {http.Header{}, body},
		"tampered body":  {http.Header{"Stripe-Signature": {good}}, []byte(strings.Replace(string(body), "1299", "1298", 1))},
		"tampered time":  {http.Header{"Stripe-Signature": {strings.Replace(good, fmt.Sprint(gatewayNow.Unix()), fmt.Sprint(gatewayNow.Unix()+1), 1)}}, body},
		"wrong secret":   {stripeSigned(body, "whsec_other", gatewayNow), body},
		"old":            {stripeSigned(body, stripeTestSecret, gatewayNow.Add(-6*time.Minute)), body},
		"to come":        {stripeSigned(body, stripeTestSecret, gatewayNow.Add(6*time.Minute)), body},
		"two times":      {http.Header{"Stripe-Signature": {"t=1," + good}}, body},
		"two signatures": {http.Header{"Stripe-Signature": {good, good}}, body},
		"no time":        {http.Header{"Stripe-Signature": {"v1=00"}}, body},
		"time in words":  {http.Header{"Stripe-Signature": {"t=now,v1=00"}}, body},
		"huge":           {stripeSigned(huge, stripeTestSecret, gatewayNow), huge},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Verify(c.header, c.body)
			require.ErrorIs(t, err, ErrSignature)
		})
	}
}

func TestStripeTellsPaymentsFromTheRest(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	other := map[string][]byte{
		"failed":       stripeEvent("payment_intent.payment_failed", stripeIntentPaid),
		"refunded":     stripeEvent("charge.refunded", `{"id":"ch_1"}`),
		"refund":       stripeEvent("refund.failed", stripeRefundFailed), // asked about instead
		"refund moved": stripeEvent("refund.updated", stripeRefundFailed),
		"older name":   stripeEvent("charge.refund.updated", stripeRefundFailed),
		"not ours":     stripeEvent("payment_intent.succeeded", strings.Replace(stripeIntentPaid, "pay_number", "order", 1)),
		"no success":   stripeEvent("payment_intent.succeeded", strings.Replace(stripeIntentPaid, "succeeded", "processing", 1)),
		"no data":      []byte(`{"id":"evt_1","object":"event","type":"payment_intent.succeeded"}`),
		"of a partner": []byte(strings.Replace(string(stripeEvent("payment_intent.succeeded", stripeIntentPaid)), `{`, `{"account":"acct_1",`, 1)),
	}
	for name, body := range other {
		_, err := s.Verify(stripeSigned(body, stripeTestSecret, gatewayNow), body)
		require.ErrorIs(t, err, ErrNotPayment, name)
	}
	broken := map[string][]byte{
		"number":   stripeEvent("payment_intent.succeeded", strings.Replace(stripeIntentPaid, "123456789", "0123", 1)),
		"fraction": stripeEvent("payment_intent.succeeded", strings.ReplaceAll(stripeIntentPaid, "1299", "12.99")),
		"nothing":  stripeEvent("payment_intent.succeeded", strings.ReplaceAll(stripeIntentPaid, "1299", "0")),
		"twice":    stripeEvent("payment_intent.succeeded", strings.Replace(stripeIntentPaid, `"currency"`, `"amount_received":1,"currency"`, 1)),
		"no JSON":  []byte(`{"id":`),
	}
	for name, body := range broken {
		_, err := s.Verify(stripeSigned(body, stripeTestSecret, gatewayNow), body)
		require.Error(t, err, name)
		require.NotErrorIs(t, err, ErrSignature, name)
		require.NotErrorIs(t, err, ErrNotPayment, name)
	}
}

func TestStripeNeedsAllItsSettings(t *testing.T) {
	t.Parallel()
	require.True(t, StripeConfig{BaseURL: "https://api.example"}.Off())
	full := StripeConfig{SecretKey: "sk_1", PublishableKey: "pk_1", WebhookSecret: "whsec_1"}
	require.False(t, full.Off())
	_, err := NewStripe(full, gatewayClock)
	require.NoError(t, err)
	part := full
	part.WebhookSecret = ""
	_, err = NewStripe(part, gatewayClock)
	require.ErrorContains(t, err, "webhook secret")
	require.NotContains(t, err.Error(), "sk_1")
	plain := full
	plain.BaseURL = "http://api.example"
	_, err = NewStripe(plain, gatewayClock)
	require.ErrorContains(t, err, "https")
}

func TestStripeKeysInTheWrongPlaceAreRefused(t *testing.T) {
	t.Parallel()
	for wrong, cfg := range map[string]StripeConfig{
		"secret key":      {SecretKey: "pk_live_x1", PublishableKey: "pk_live_x1", WebhookSecret: "whsec_x3"},
		"publishable key": {SecretKey: "sk_live_x1", PublishableKey: "sk_live_x1", WebhookSecret: "whsec_x3"},
		"webhook secret":  {SecretKey: "rk_live_x1", PublishableKey: "pk_live_x2", WebhookSecret: "we_x3"},
	} {
		_, err := NewStripe(cfg, gatewayClock)
		require.ErrorContains(t, err, wrong)
		for _, secret := range []string{"x1", "x2", "x3"} {
			require.NotContains(t, err.Error(), secret)
		}
	}
	_, err := NewStripe(StripeConfig{SecretKey: "rk_1", PublishableKey: "pk_1", WebhookSecret: "whsec_1"}, gatewayClock)
	require.NoError(t, err)
}

func FuzzStripeNotification(f *testing.F) {
	s, err := NewStripe(StripeConfig{SecretKey: "sk_1", PublishableKey: "pk_1", WebhookSecret: stripeTestSecret}, gatewayClock)
	require.NoError(f, err)
	body := stripeEvent("payment_intent.succeeded", stripeIntentPaid)
	f.Add(stripeSigned(body, stripeTestSecret, gatewayNow).Get("Stripe-Signature"), body)
	f.Add("t=1,v1=00", []byte(`{}`))
	f.Add("", []byte(`{"id":"evt_1","object":"event","data":null}`))
	f.Add("t=1772600767,v1=", stripeEvent("payment_intent.succeeded", `[]`))
	f.Fuzz(func(t *testing.T, signature string, body []byte) {
		n, err := s.Verify(http.Header{"Stripe-Signature": {signature}}, body)
		if err == nil {
			require.NoError(t, webhook.ValidatePayloadIgnoringTolerance(body, signature, stripeTestSecret))
			require.Positive(t, n.Amount)
		}
		// The parser behind the signature holds for whatever is signed.
		n, err = s.Verify(stripeSigned(body, stripeTestSecret, gatewayNow), body)
		if err == nil {
			require.Positive(t, n.Amount)
			require.Positive(t, n.PayNumber)
			require.NotEmpty(t, n.TransactionID)
		}
	})
}
