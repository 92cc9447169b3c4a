package wechat_test

import (
	"testing"
	"time"

	"onrush"
	"onrush/gatewaytest"
	"onrush/modules/pay/wechat"
	"onrush/onrushtest"
)

// bank is the double as gatewaytest takes it.
type bank struct{ *wechat.Double }

func (b bank) Started(p *onrushtest.Platform) { b.Follow(p.Now) }

func (b bank) Pay(
	t testing.TB, p onrushtest.Payment, amount int64, at time.Time,
) (n gatewaytest.Notice, taken bool) {
	t.Helper()
	n.Header, n.Body, taken = b.Double.Pay(t, p.Number, amount, at)
	return n, taken
}

func (b bank) Returned(t testing.TB, payNumber string) int64 {
	t.Helper()
	return b.Double.Returned(payNumber)
}

func TestWeChatPayInAPlatform(t *testing.T) {
	t.Parallel()
	gatewaytest.Run(t, func(t *testing.T) gatewaytest.Subject {
		b := bank{wechat.NewDouble(t)}
		return gatewaytest.Subject{
			Config:  onrush.Config{BaseURL: "https://shop.example", Settings: b.Settings(t)},
			Channel: "wechat", Bank: b, Currencies: []string{"CNY"},
		}
	})
}
