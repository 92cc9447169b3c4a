package pay

import (
	"time"

	"onrush/web"
)

// chinaTime is the time of the Mainland's gateways.
var chinaTime = time.FixedZone("+08:00", 8*60*60)

const (
	yuan   = "CNY"
	maxFen = 100_000_000_00
)

// checkYuan refuses what the Mainland's gateways don't take; amounts are in fen.
func checkYuan(p *Payment, now time.Time) error {
	switch {
	case p.Currency != yuan:
		return web.Invalid("channel", "takes %s only, not %s", yuan, p.Currency)
	case p.Amount <= 0:
		return web.Errorf(web.CodeNotPayable, "There is nothing to pay.")
	case p.Amount > maxFen:
		return web.Invalid("channel", "does not take so much at once")
	case p.ExpiresMS <= now.UnixMilli():
		return web.Errorf(web.CodeNotPayable, "The time to pay this is over.")
	}
	return nil
}
