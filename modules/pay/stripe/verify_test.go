package stripe

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/test/double"
)

func TestStripeReadsASignedNotification(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	body := stripeEvent("payment_intent.succeeded", intentPaid)
	header := signed(body, testSecret, double.Now.Add(-4*time.Minute))
	for range 2 { // package pay recognizes repeated notifications, not the gateway
		n, err := s.Verify(header, body)
		require.NoError(t, err)
		require.Equal(t, pay.Notification{
			EventID: "evt_1", TransactionID: "pi_1", PayNumber: 123456789, Amount: 1299, Currency: "EUR",
		}, n)
	}
}

func TestStripeRefusesWrongSignatures(t *testing.T) {
	t.Parallel()
	s, _ := newStripe(t)
	body := stripeEvent("payment_intent.succeeded", intentPaid)
	good := signed(body, testSecret, double.Now).Get("Stripe-Signature")
	huge := stripeEvent("payment_intent.succeeded",
		strings.Replace(intentPaid, "{", `{"x":"`+strings.Repeat("x", gateway.MaxNotification)+`",`, 1))
	cases := map[string]struct {
		header http.Header
		body   []byte
	}{
		"no header": {http.Header{}, body},
		"tampered body": {
			http.Header{"Stripe-Signature": {good}}, []byte(strings.Replace(string(body), "1299", "1298", 1)),
		},
		"tampered time": {http.Header{"Stripe-Signature": {
			strings.Replace(good, fmt.Sprint(double.Now.Unix()), fmt.Sprint(double.Now.Unix()+1), 1),
		}}, body},
		"wrong secret":   {signed(body, "whsec_other", double.Now), body},
		"old":            {signed(body, testSecret, double.Now.Add(-6*time.Minute)), body},
		"to come":        {signed(body, testSecret, double.Now.Add(6*time.Minute)), body},
		"two times":      {http.Header{"Stripe-Signature": {"t=1," + good}}, body},
		"two signatures": {http.Header{"Stripe-Signature": {good, good}}, body},
		"no time":        {http.Header{"Stripe-Signature": {"v1=00"}}, body},
		"time in words":  {http.Header{"Stripe-Signature": {"t=now,v1=00"}}, body},
		"huge":           {signed(huge, testSecret, double.Now), huge},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Verify(c.header, c.body)
			require.ErrorIs(t, err, pay.ErrSignature)
		})
	}
}

// A test key never settles live money, and the other way round.
func TestStripeRefusesEventsOfTheOtherMode(t *testing.T) {
	t.Parallel()
	s, fake := newStripe(t)
	for _, kind := range []string{
		"payment_intent.succeeded", "refund.failed", "charge.dispute.created", "charge.refunded",
	} {
		live := []byte(strings.Replace(string(stripeEvent(kind, intentPaid)), `"livemode":false`, `"livemode":true`, 1))
		require.Contains(t, string(live), `"livemode":true`)
		_, err := s.Verify(signed(live, testSecret, double.Now), live)
		require.ErrorIs(t, err, pay.ErrUnreadable, kind)
		require.ErrorContains(t, err, "the other livemode")
	}
	fake.live = true
	_, err := s.Begin(t.Context(), &pay.Payment{Number: 5, Amount: 100, Currency: "EUR"})
	require.ErrorContains(t, err, "another payment")
}
