package stripe

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/modules/problem"
	"onrush/test/double"
)

func TestStripeBeginsAsItsWaysSay(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	double.RequireWays(t, s, func(...string) (pay.Next, error) {
		return s.Begin(t.Context(), &pay.Payment{Number: 123456789, Amount: 1299, Currency: "EUR"})
	})
}

func TestStripeBeginsOneIntentPerPayment(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	p := &pay.Payment{Number: 123456789, Amount: 1299, Currency: "EUR"}
	first, err := s.Begin(t.Context(), p)
	require.NoError(t, err)
	again, err := s.Begin(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, map[string]string{
		"client_secret": "pi_1_secret_x", "publishable_key": "pk_test_1", "payment_intent": "pi_1",
	}, first.Params)
	p.ReturnURL = "https://shop.example/paid"
	again, err = s.Begin(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, p.ReturnURL, again.Params["return_url"], "for the form's own call")
	require.Len(t, fake.intents, 1)
	require.Equal(t, "eur", fake.intents["pi_1"]["currency"])

	_, err = s.Begin(t.Context(), &pay.Payment{Number: 6, Currency: "EUR"})
	require.Equal(t, pay.CodeNotPayable, problem.CodeOf(err))
}

func TestStripeRefusesAmountsThatItCountsDifferently(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	part := func(amount int64) pay.PaymentOrder { return pay.PaymentOrder{Payment: 5, Order: 6, Amount: amount} }
	for _, p := range []*pay.Payment{
		{Number: 5, Amount: 100, Currency: "ISK"},
		{Number: 5, Amount: 100, Currency: "UGX"},
		{Number: 5, Amount: 100, Currency: "MGA"},
		{Number: 5, Amount: 1000, Currency: "LYD"},
		{Number: 5, Amount: 1001, Currency: "KWD"},
		{Number: 5, Amount: 1000, Currency: "TND", Orders: []pay.PaymentOrder{part(505), part(495)}},
	} {
		_, err := s.Begin(t.Context(), p)
		require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), p.Currency)
	}
	require.Empty(t, fake.intents)
	for i, p := range []*pay.Payment{
		{Amount: 101, Currency: "JPY"},
		{Amount: 101, Currency: "HUF"},
		{Amount: 1010, Currency: "KWD", Orders: []pay.PaymentOrder{part(500), part(510)}},
	} {
		p.Number = order.Number(5 + i)
		_, err := s.Begin(t.Context(), p)
		require.NoError(t, err, p.Currency)
	}
}

func TestStripeBeginsAfterAStoredError(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	p := &pay.Payment{Number: 123456789, Amount: 1299, Currency: "EUR"}
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
	p := double.Begun(t, s, &pay.Payment{Number: 123456789, Amount: 1299, Currency: "EUR"})
	found, err := s.Query(t.Context(), p)
	require.NoError(t, err)
	require.False(t, found.Paid)

	fake.set("pi_1", "canceled", 0)
	found, err = s.Query(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, pay.Found{Closed: true}, found)

	fake.set("pi_1", "succeeded", 1299)
	found, err = s.Query(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, pay.Found{Paid: true, TransactionID: "pi_1", Amount: 1299, Currency: "EUR"}, found)

	fake.intents["pi_1"]["latest_charge"] = map[string]any{"id": "ch_1", "object": "charge", "amount_refunded": 1299}
	_, err = s.Query(t.Context(), p)
	require.ErrorIs(t, err, pay.ErrRefundedOutside)

	_, err = s.Query(t.Context(), &pay.Payment{Number: 7, NextJSON: p.NextJSON})
	require.Error(t, err, "the intent is of another payment")

	found, err = s.Query(t.Context(), &pay.Payment{Number: 8})
	require.NoError(t, err)
	require.False(t, found.Paid, "no buyer has the secret to pay it")
}

func TestStripeClosesOnlyWhatIsUnpaid(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	open := double.Begun(t, s, &pay.Payment{Number: 1, Amount: 100, Currency: "EUR"})
	require.NoError(t, s.Close(t.Context(), open))
	require.NoError(t, s.Close(t.Context(), open), "closed twice")
	require.NoError(t, s.Close(t.Context(), &pay.Payment{Number: 9}), "never begun")

	paid := double.Begun(t, s, &pay.Payment{Number: 2, Amount: 100, Currency: "EUR"})
	fake.set("pi_2", "succeeded", 100)
	require.ErrorIs(t, s.Close(t.Context(), paid), pay.ErrPaid)

	fake.set("pi_2", "processing", 0)
	err := s.Close(t.Context(), paid)
	require.Error(t, err)
	require.NotErrorIs(t, err, pay.ErrPaid)
}

func TestStripeErrorsContainNoSecret(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	p := double.Begun(t, s, &pay.Payment{Number: 1, Amount: 100, Currency: "EUR"})
	fake.set("pi_1", "processing", 0)
	answers := []func(w http.ResponseWriter) bool{
		nil,
		func(w http.ResponseWriter) bool {
			_, _ = w.Write([]byte(`{"client_secret":"pi_1_secret_x"`))
			return true
		},
		func(w http.ResponseWriter) bool {
			w.WriteHeader(402)
			_, _ = w.Write([]byte(`{"error":{"type":"card_error","message":"pi_1_secret_x sk_test_1",` +
				`"payment_intent":{"client_secret":"pi_1_secret_x"}}}`))
			return true
		},
		func(w http.ResponseWriter) bool {
			_, _ = w.Write([]byte(strings.Repeat(" ", gateway.MaxAnswer+1)))
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
	return fmt.Appendf(nil, `{"id":"evt_1","object":"event","api_version":"2020-08-27","created":1772600000,`+
		`"livemode":false,"type":%q,`+
		`"data":{"object":%s}}`, kind, intent)
}

const intentPaid = `{"id":"pi_1","object":"payment_intent","status":"succeeded","amount":1299,"amount_received":1299,` +
	`"currency":"eur","metadata":{"pay_number":"123456789"}}`

func TestStripeDistinguishesPaymentsFromOtherNotifications(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	other := map[string][]byte{
		"failed":   stripeEvent("payment_intent.payment_failed", intentPaid),
		"not ours": stripeEvent("payment_intent.succeeded", strings.Replace(intentPaid, "pay_number", "order", 1)),
		"no success": stripeEvent("payment_intent.succeeded",
			strings.Replace(intentPaid, "succeeded", "processing", 1)),
		"no data": []byte(`{"id":"evt_1","object":"event","type":"payment_intent.succeeded"}`),
		"of a partner": []byte(strings.Replace(string(stripeEvent("payment_intent.succeeded", intentPaid)), `{`,
			`{"account":"acct_1",`, 1)),
	}
	for name, body := range other {
		_, err := s.Verify(signed(body, testSecret, double.Now), body)
		require.ErrorIs(t, err, pay.ErrNotPayment, name)
	}
	broken := map[string][]byte{
		"fraction": stripeEvent("payment_intent.succeeded", strings.ReplaceAll(intentPaid, "1299", "12.99")),
		"nothing":  stripeEvent("payment_intent.succeeded", strings.ReplaceAll(intentPaid, "1299", "0")),
		"twice": stripeEvent("payment_intent.succeeded",
			strings.Replace(intentPaid, `"currency"`, `"amount_received":1,"currency"`, 1)),
		"no JSON": []byte(`{"id":`),
	}
	for _, foreign := range []string{"0123", "INV-1001", "", "0", "-5", strings.Repeat("1", 23)} {
		broken["number "+foreign] = stripeEvent("payment_intent.succeeded",
			strings.Replace(intentPaid, "123456789", foreign, 1))
	}
	for name, body := range broken {
		_, err := s.Verify(signed(body, testSecret, double.Now), body)
		require.ErrorIs(t, err, pay.ErrUnreadable, name)
		require.NotErrorIs(t, err, pay.ErrSignature, name)
	}
}

func TestStripeAcceptsEachOfItsWebhookSecrets(t *testing.T) {
	t.Parallel()
	cfg := Config{SecretKey: "sk_test_1", PublishableKey: "pk_test_1"}
	cfg.WebhookSecret = "whsec_next; " + testSecret + ";whsec_former;"
	s, err := New(cfg, double.Clock)
	require.NoError(t, err)
	body := stripeEvent("payment_intent.succeeded", intentPaid)
	for _, secret := range []string{"whsec_next", testSecret, "whsec_former"} {
		_, err := s.Verify(signed(body, secret, double.Now), body)
		require.NoError(t, err)
	}
	for _, secret := range []string{"whsec_other", "", cfg.WebhookSecret} {
		_, err := s.Verify(signed(body, secret, double.Now), body)
		require.ErrorIs(t, err, pay.ErrSignature)
	}
	for _, secrets := range []string{
		";", "whsec_a;b", "whsec_a,whsec_b", "whsec_a whsec_b", "whsec_", "whsec_a\u200b",
		strings.Repeat("whsec_a;", maxSecrets+1),
	} {
		cfg.WebhookSecret = secrets
		_, err := New(cfg, double.Clock)
		require.ErrorContains(t, err, "webhook secret")
	}
}

func TestStripeNeedsAllItsSettings(t *testing.T) {
	t.Parallel()
	require.True(t, Config{BaseURL: "https://api.example"}.Off())
	full := Config{SecretKey: "sk_test_1", PublishableKey: "pk_test_1", WebhookSecret: "whsec_1"}
	require.False(t, full.Off())
	_, err := New(full, double.Clock)
	require.NoError(t, err)
	part := full
	part.WebhookSecret = ""
	_, err = New(part, double.Clock)
	require.ErrorContains(t, err, "webhook secret")
	require.NotContains(t, err.Error(), "sk_test_1")
	plain := full
	plain.BaseURL = "http://api.example"
	_, err = New(plain, double.Clock)
	require.ErrorContains(t, err, "https")
}

func TestStripeKeysInTheWrongPlaceAreRefused(t *testing.T) {
	t.Parallel()
	for wrong, cfg := range map[string]Config{
		"secret key":              {SecretKey: "pk_live_x1", PublishableKey: "pk_live_x1", WebhookSecret: "whsec_x3"},
		"secret key must begin":   {SecretKey: "sk_test_", PublishableKey: "pk_test_1", WebhookSecret: "whsec_x3"},
		"secret key must begin ":  {SecretKey: "sk_test_a b", PublishableKey: "pk_test_1", WebhookSecret: "whsec_x3"},
		"secret key must":         {SecretKey: "sk_x1", PublishableKey: "pk_live_x1", WebhookSecret: "whsec_x3"},
		"publishable key":         {SecretKey: "sk_live_x1", PublishableKey: "sk_live_x1", WebhookSecret: "whsec_x3"},
		"publishable key must":    {SecretKey: "sk_live_x1", PublishableKey: "pk_x1", WebhookSecret: "whsec_x3"},
		"webhook secret":          {SecretKey: "rk_live_x1", PublishableKey: "pk_live_x2", WebhookSecret: "we_x3"},
		"one key is of live mode": {SecretKey: "rk_live_x1", PublishableKey: "pk_test_x2", WebhookSecret: "whsec_x3"},
		"the other of test mode":  {SecretKey: "sk_test_x1", PublishableKey: "pk_live_x2", WebhookSecret: "whsec_x3"},
	} {
		_, err := New(cfg, double.Clock)
		require.ErrorContains(t, err, wrong)
		for _, secret := range []string{"x1", "x2", "x3"} {
			require.NotContains(t, err.Error(), secret)
		}
	}
	for secret, test := range map[string]bool{
		"sk_live_1": false, "rk_live_1": false, "sk_test_1": true, "rk_test_1": true,
	} {
		cfg := Config{SecretKey: secret, PublishableKey: "p" + secret[1:], WebhookSecret: "whsec_1"}
		s, err := New(cfg, double.Clock)
		require.NoError(t, err)
		require.Equal(t, test, cfg.Test())
		require.Equal(t, test, !s.live)
	}
}

// Nobody is offered a method whose money comes when the order is long cancelled.
func TestStripeOffersNoMethodThatTakesDays(t *testing.T) {
	t.Parallel()
	cfg := Config{SecretKey: "sk_test_1", PublishableKey: "pk_test_1", WebhookSecret: "whsec_1"}
	for _, method := range []string{
		"sepa_debit", "us_bank_account", "boleto", "oxxo", "konbini", "customer_balance", "card,link", "",
	} {
		cfg.Methods = []string{"card", method}
		_, err := New(cfg, double.Clock)
		require.ErrorContains(t, err, "method", method)
	}
	s, fake := newStripe(t)
	_, err := s.Begin(t.Context(), &pay.Payment{Number: 5, Amount: 100, Currency: "EUR"})
	require.NoError(t, err)
	require.Equal(t, []string{"card"}, fake.methods)

	s.cfg.Methods = []string{"card", "ideal"}
	_, err = s.Begin(t.Context(), &pay.Payment{Number: 6, Amount: 100, Currency: "EUR"})
	require.NoError(t, err)
	require.Equal(t, []string{"card", "ideal"}, fake.methods)
	_, err = s.Begin(t.Context(), &pay.Payment{Number: 5, Amount: 100, Currency: "EUR"})
	require.NoError(t, err, "the key of the first request is used up by its other methods")
	require.Len(t, fake.intents, 3)
}

func FuzzStripeNotification(f *testing.F) {
	s, err := New(Config{SecretKey: "sk_test_1", PublishableKey: "pk_test_1", WebhookSecret: testSecret}, double.Clock)
	require.NoError(f, err)
	body := stripeEvent("payment_intent.succeeded", intentPaid)
	f.Add(signed(body, testSecret, double.Now).Get("Stripe-Signature"), body)
	f.Add("t=1,v1=00", []byte(`{}`))
	f.Add("", []byte(`{"id":"evt_1","object":"event","data":null}`))
	f.Add("t=1772600767,v1=", stripeEvent("payment_intent.succeeded", `[]`))
	f.Fuzz(func(t *testing.T, signature string, body []byte) {
		n, err := s.Verify(http.Header{"Stripe-Signature": {signature}}, body)
		if err == nil {
			require.True(t, believes(signature, body), "the body is not signed")
			require.NotEmpty(t, n.EventID)
		}
		// The parser behind the signature holds for whatever is signed.
		n, err = s.Verify(signed(body, testSecret, double.Now), body)
		if err == nil {
			require.NotEmpty(t, n.EventID)
			require.NotEmpty(t, n.TransactionID)
			if n.Kind == pay.KindMoney {
				require.Positive(t, n.Amount)
				require.Positive(t, n.PayNumber)
			}
		}
	})
}
