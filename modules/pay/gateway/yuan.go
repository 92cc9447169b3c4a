package gateway

import (
	"time"

	"onrush/modules/pay"
	"onrush/modules/problem"
)

// ChinaTime is the time zone of the Chinese gateways.
var ChinaTime = time.FixedZone("+08:00", 8*60*60)

const (
	// CNY is the only currency of the Chinese gateways.
	CNY = "CNY"
	// MaxFen is the largest amount of a payment that they accept, in fen.
	MaxFen = 100_000_000_00
)

// CheckYuan returns an error if the Chinese gateways don't accept a payment; amounts are in fen.
func CheckYuan(p *pay.Payment, now time.Time) error {
	switch {
	case p.Currency != CNY:
		return problem.Invalid("channel", "takes %s only, not %s", CNY, p.Currency)
	case p.Amount <= 0:
		return problem.Errorf(pay.CodeNotPayable, "There is nothing to pay.")
	case p.Amount > MaxFen:
		return problem.Invalid("channel", "does not accept such a large amount")
	case p.ExpiresMS <= now.UnixMilli():
		return problem.Errorf(pay.CodeNotPayable, "The time to pay is over.")
	}
	return nil
}
