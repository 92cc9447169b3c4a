package stripe_test

import (
	"testing"
	"time"

	"onrush"
	"onrush/gatewaytest"
	"onrush/modules/pay/stripe"
	"onrush/onrushtest"
)

// bank is the double as gatewaytest takes it.
type bank struct{ *stripe.Double }

func (b bank) Pay(
	t testing.TB, p onrushtest.Payment, amount int64, at time.Time,
) (n gatewaytest.Notice, taken bool) {
	t.Helper()
	n.Header, n.Body, taken = b.Double.Pay(p.Number, amount, at)
	return n, taken
}

func (b bank) Returned(t testing.TB, payNumber string) int64 {
	t.Helper()
	return b.Double.Returned(payNumber)
}

func TestStripeInAPlatform(t *testing.T) {
	t.Parallel()
	gatewaytest.Run(t, func(t *testing.T) gatewaytest.Subject {
		b := bank{stripe.NewDouble(t)}
		return gatewaytest.Subject{
			Config: onrush.Config{Settings: map[string]string{
				"ONRUSH_STRIPE_SECRET_KEY": stripe.DoubleKey, "ONRUSH_STRIPE_PUBLISHABLE_KEY": stripe.DoublePublic,
				"ONRUSH_STRIPE_WEBHOOK_SECRET": stripe.DoubleWebhooks, "ONRUSH_GATEWAYS": "stripe=" + b.URL,
			}},
			Channel: "stripe", Bank: b, Currencies: []string{"EUR", "JPY", "KWD"},
		}
	})
}
