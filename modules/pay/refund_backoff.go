package pay

import (
	"time"
)

// backoff returns the wait after an attempt, with jitter.
func (r *Refunder) backoff(attempts int) time.Duration {
	return r.jitter(r.cfg.RefundWait << min(attempts-1, 20))
}

// jitter bounds a wait and subtracts a random part of up to half.
func (r *Refunder) jitter(wait time.Duration) time.Duration {
	wait = min(wait, r.cfg.RefundWaitMax)
	return wait - time.Duration(r.random()%uint64(wait/2+1)) //nolint:gosec // a wait is above 0
}
