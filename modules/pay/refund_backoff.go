package pay

import "time"

// refundBackoff says how long a refund waits for its next call. All of its waits are at most RefundWaitMax, less a
// random part of up to half.
type refundBackoff struct {
	least, most time.Duration // RefundWait and RefundWaitMax
	askAgain    time.Duration // RefundAskAgain
	random      func() uint64
}

// newRefundBackoff returns the backoff of a configuration with its defaults.
func newRefundBackoff(cfg Config, random func() uint64) refundBackoff {
	return refundBackoff{least: cfg.RefundWait, most: cfg.RefundWaitMax, askAgain: cfg.RefundAskAgain, random: random}
}

// afterFailure is the wait after a failed attempt, which doubles with each: the gateway refused the refund, or
// reported that it failed. attempts is at least 1.
func (b refundBackoff) afterFailure(attempts int) time.Duration {
	return b.jitter(b.least << min(attempts-1, 20))
}

// whileAway is the wait of a refund of an age whose gateway is unavailable, or has too little money: as long as it is
// old.
func (b refundBackoff) whileAway(age time.Duration) time.Duration { return b.jitter(max(age, b.least)) }

// whileUnderWay returns how long to wait before a refund that its gateway has accepted is queried again: as long as the
// refund has been under way.
func (b refundBackoff) whileUnderWay(since time.Duration) time.Duration {
	return b.jitter(max(since, b.askAgain))
}

// jitter bounds a wait and subtracts a random part of up to half.
func (b refundBackoff) jitter(wait time.Duration) time.Duration {
	wait = min(wait, b.most)
	return wait - time.Duration(b.random()%uint64(wait/2+1)) //nolint:gosec // a wait is above 0
}
