package gateway

import (
	"time"

	"onrush/modules/pay"
	"onrush/web/problem"
)

// ChinaTime is the time of the Mainland's gateways.
var ChinaTime = time.FixedZone("+08:00", 8*60*60)

const (
	// CNY is the currency that the gateways of the Mainland take.
	CNY = "CNY"
	// MaxFen is the largest amount of a payment that they take, in fen.
	MaxFen = 100_000_000_00
)

// CheckYuan refuses what the Mainland's gateways don't take; amounts are in fen.
func CheckYuan(p *pay.Payment, now time.Time) error {
	switch {
	case p.Currency != CNY:
		return problem.Invalid("channel", "takes %s only, not %s", CNY, p.Currency)
	case p.Amount <= 0:
		return problem.Errorf(pay.CodeNotPayable, "There is nothing to pay.")
	case p.Amount > MaxFen:
		return problem.Invalid("channel", "does not take so much at once")
	case p.ExpiresMS <= now.UnixMilli():
		return problem.Errorf(pay.CodeNotPayable, "The time to pay this is over.")
	}
	return nil
}
