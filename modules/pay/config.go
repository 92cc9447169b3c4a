package pay

import (
	"cmp"
	"errors"
	"time"
)

// Config bounds the payments. A field left at zero has its default.
type Config struct {
	// ReturnOrigins are the origins that a return_url may have. Default none: a return_url is refused.
	ReturnOrigins []string
	// AskAfter is the age at which a pending payment is queried at its gateway and closed, unless the
	// time to pay its orders is over before. Default 15 minutes.
	AskAfter time.Duration
	// ExpireBefore is how long before the end of the time to pay an order an ExpiringGateway stops taking money
	// for its payment, but at most a quarter of the time that is left. Default 15 s.
	ExpireBefore time.Duration
	// ExpiredAfter is how long after the expiry of a payment an ExpiringGateway is queried: its clock may be
	// behind, or a payment may still be in progress. Default 5 s.
	ExpiredAfter time.Duration
	// AskBefore is how long before the end of the time to pay an order its payment is queried, so that
	// few must be queried at the end itself. Default 30 s.
	AskBefore time.Duration
	// AskAgain is the wait after a query that the gateway didn't answer. Its orders wait for ten of them before they
	// are cancelled. Default 1 minute.
	AskAgain time.Duration
	// AskPage is how many payments of a channel are read at once. Default 500.
	AskPage int
	// Queries is the maximum number of concurrent queries per channel. Default 8.
	Queries int
	// PaymentsPerOrder is how many payments may be begun for one order. Default 20.
	PaymentsPerOrder int
	// Begins is how many payments of a channel buyers may begin at the same time on one instance. Default 48, less
	// than the calls that a channel may have under way, so that some are left for the jobs.
	Begins int
	// CallWithin bounds one call to a gateway. Default 10 s.
	CallWithin time.Duration
	// WebhookWithin bounds the answer to a notification. WeChat Pay waits 5 s for it (its page
	// docs/merchant/apis/h5-payment/payment-notice). Default 4 s.
	WebhookWithin time.Duration
	// Deliveries is how many notifications of a payment whose order is not found are refused before it
	// is refunded and flagged. Default 5.
	Deliveries int
	// LockWithin is how long a notification waits for the locks of its orders. Default 3 s.
	LockWithin time.Duration
	// RefundPage is how many refunds one run sends through a channel. Default 100.
	RefundPage int
	// RefundAttempts is how often a gateway refuses a refund before it is failed. A call to an unavailable
	// gateway doesn't count. Default 12.
	RefundAttempts int
	// RefundWait is the wait after the first refusal, or report that the refund failed. It doubles up to
	// RefundWaitMax, and a random part of up to half is subtracted. While the gateway is unavailable, each wait is
	// as long as the refund is old, from RefundWait to RefundWaitMax. Default 2 s.
	RefundWait time.Duration
	// RefundWaitMax is the longest wait. Default 1 h.
	RefundWaitMax time.Duration
	// RefundAskAgain is the first wait before a gateway is queried about a refund that is under way. Later
	// waits are as long as it has been under way, up to RefundWaitMax; a random part of up to half is
	// subtracted. Default 1 minute.
	RefundAskAgain time.Duration
}

// WithDefaults returns the configuration with the defaults of the fields that are zero.
func (c Config) WithDefaults() Config {
	c.AskAfter = cmp.Or(c.AskAfter, 15*time.Minute)
	c.ExpireBefore = cmp.Or(c.ExpireBefore, 15*time.Second)
	c.ExpiredAfter = cmp.Or(c.ExpiredAfter, 5*time.Second)
	c.AskBefore = cmp.Or(c.AskBefore, 30*time.Second)
	c.PaymentsPerOrder = cmp.Or(c.PaymentsPerOrder, 20)
	c.AskAgain = cmp.Or(c.AskAgain, time.Minute)
	c.AskPage = cmp.Or(c.AskPage, 500)
	c.Queries = cmp.Or(c.Queries, 8)
	c.Begins = cmp.Or(c.Begins, 48)
	c.CallWithin = cmp.Or(c.CallWithin, 10*time.Second)
	c.WebhookWithin = cmp.Or(c.WebhookWithin, 4*time.Second)
	c.Deliveries = cmp.Or(c.Deliveries, 5)
	c.LockWithin = cmp.Or(c.LockWithin, 3*time.Second)
	c.RefundPage = cmp.Or(c.RefundPage, 100)
	c.RefundAttempts = cmp.Or(c.RefundAttempts, 12)
	c.RefundWait = cmp.Or(c.RefundWait, 2*time.Second)
	c.RefundWaitMax = cmp.Or(c.RefundWaitMax, time.Hour)
	c.RefundAskAgain = cmp.Or(c.RefundAskAgain, time.Minute)
	return c
}

func (c Config) check() error {
	if c.AskAfter < 0 || c.ExpireBefore < 0 || c.ExpiredAfter < 0 || c.AskBefore < 0 ||
		c.PaymentsPerOrder < 1 || c.AskAgain < 0 || c.AskPage < 1 ||
		c.Queries < 1 || c.Begins < 1 || c.CallWithin < 0 || c.WebhookWithin < 0 || c.Deliveries < 1 ||
		c.LockWithin < 0 ||
		c.RefundPage < 1 || c.RefundAttempts < 1 || c.RefundWait < 0 || c.RefundWaitMax < c.RefundWait ||
		c.RefundAskAgain < 0 || c.RefundWaitMax < c.RefundAskAgain {
		return errors.New("pay config: sizes and times must be above 0, the longest wait not below the first ones")
	}
	return nil
}
