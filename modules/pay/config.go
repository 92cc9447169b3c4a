package pay

import (
	"cmp"
	"errors"
	"time"
)

const (
	// askAfter is the age at which a pending payment is queried at its gateway and closed, unless the time to pay its
	// orders is over before.
	askAfter = 15 * time.Minute
	// expireBefore is how long before the end of the time to pay an order an ExpiringGateway stops taking money for its
	// payment, but at most a quarter of the time that is left.
	expireBefore = 15 * time.Second
	// expiredAfter is how long after the expiry of a payment an ExpiringGateway is queried: its clock may be behind, or
	// a payment may still be in progress.
	expiredAfter = 5 * time.Second
	// askBefore is how long before the end of the time to pay an order its payment is queried, so that few must be
	// queried at the end itself.
	askBefore = 30 * time.Second
	// askAgain is the wait after a query that the gateway didn't answer. Its orders wait for ten of them before they
	// are cancelled.
	askAgain = time.Minute
	// paymentsPerOrder is how many payments may be begun for one order.
	paymentsPerOrder = 20
	// maxBegins is how many payments of a channel buyers may begin at the same time on one instance: less than the
	// calls that a channel may have under way, so that some are left for the jobs.
	maxBegins = 48
	// lockWithin is how long a notification waits for the locks of its orders.
	lockWithin = 3 * time.Second
)

// Config bounds the payments. A field left at zero has its default.
type Config struct {
	// ReturnOrigins are the origins that a return_url may have. Default none: a return_url is refused.
	ReturnOrigins []string
	// AskPage is how many payments of a channel are read at once. Default 500.
	AskPage int
	// Queries is the maximum number of concurrent queries per channel. Default 8.
	Queries int
	// AnswerWithin bounds a call that a buyer waits for, and the first query of a payment. Default 3 s.
	AnswerWithin time.Duration
	// CallWithin bounds the other calls to a gateway, such as refunds. Default 10 s.
	CallWithin time.Duration
	// WebhookWithin bounds the answer to a notification. WeChat Pay waits 5 s for it (its page
	// docs/merchant/apis/h5-payment/payment-notice). Default 4 s.
	WebhookWithin time.Duration
	// Deliveries is how many notifications of a payment whose order is not found are refused before it
	// is refunded and flagged. Default 5.
	Deliveries int
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
	c.AskPage = cmp.Or(c.AskPage, 500)
	c.Queries = cmp.Or(c.Queries, 8)
	c.AnswerWithin = cmp.Or(c.AnswerWithin, 3*time.Second)
	c.CallWithin = cmp.Or(c.CallWithin, 10*time.Second)
	c.WebhookWithin = cmp.Or(c.WebhookWithin, 4*time.Second)
	c.Deliveries = cmp.Or(c.Deliveries, 5)
	c.RefundPage = cmp.Or(c.RefundPage, 100)
	c.RefundAttempts = cmp.Or(c.RefundAttempts, 12)
	c.RefundWait = cmp.Or(c.RefundWait, 2*time.Second)
	c.RefundWaitMax = cmp.Or(c.RefundWaitMax, time.Hour)
	c.RefundAskAgain = cmp.Or(c.RefundAskAgain, time.Minute)
	return c
}

func (c Config) check() error {
	if c.AskPage < 1 || c.Queries < 1 || c.AnswerWithin < 0 || c.CallWithin < 0 || c.WebhookWithin < 0 ||
		c.Deliveries < 1 || c.RefundPage < 1 || c.RefundAttempts < 1 || c.RefundWait < 0 ||
		c.RefundWaitMax < c.RefundWait || c.RefundAskAgain < 0 || c.RefundWaitMax < c.RefundAskAgain {
		return errors.New("pay config: sizes and times must be above 0, the longest wait not below the first ones")
	}
	return nil
}
