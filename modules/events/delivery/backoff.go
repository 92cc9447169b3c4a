package delivery

import (
	"time"
)

// backoff are the waits after the attempts; the last one repeats.
var backoff = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
}

// wait returns the time until the next attempt after some attempts, from 80 % to 120 % of the step.
func wait(attempts int64, random uint64) time.Duration {
	step := backoff[min(max(int(attempts), 1), len(backoff))-1]
	return step*4/5 + time.Duration(random%uint64(step*2/5)) //nolint:gosec // steps are positive
}
