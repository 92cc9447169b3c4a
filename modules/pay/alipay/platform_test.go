package alipay_test

import (
	"testing"
	"time"

	"onrush"
	"onrush/gatewaytest"
	"onrush/modules/pay/alipay"
	"onrush/onrushtest"
)

// bank is the double as gatewaytest takes it.
type bank struct{ *alipay.Double }

func (b bank) Started(p *onrushtest.Platform) { b.Follow(p.Now) }

func (b bank) Pay(
	t testing.TB, p onrushtest.Payment, amount int64, at time.Time,
) (n gatewaytest.Notice, taken bool) {
	t.Helper()
	n.Header, n.Body, taken = b.Double.Pay(p.Number, p.Next.RedirectURL, amount, at)
	return n, taken
}

func (b bank) Returned(t testing.TB, payNumber string) int64 {
	t.Helper()
	return b.Double.Returned(payNumber)
}

func TestAlipayInAPlatform(t *testing.T) {
	t.Parallel()
	gatewaytest.Run(t, func(t *testing.T) gatewaytest.Subject {
		b := bank{alipay.NewDouble(t)}
		return gatewaytest.Subject{
			Config:  onrush.Config{BaseURL: "https://shop.example", Settings: b.Settings(t)},
			Channel: "alipay", Bank: b, Currencies: []string{"CNY"},
		}
	})
}
