package delivery

import (
	"net/http"
	"strconv"
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

// maxRetryAfter bounds how long a receiver may put off an event.
const maxRetryAfter = 6 * time.Hour

// retryAfter returns for how long an answer asks to wait, in seconds or until a time; 0 if it doesn't.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// pause is a time until which an instance sends nothing to an endpoint, since its receiver asked for it, unless an
// operator makes something due.
type pause struct {
	until   time.Time
	version int64
}

// isPaused reports whether an endpoint's receiver asked to wait.
func (d *Deliverer) isPaused(e *endpointRow) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.paused[e.ID]
	if ok && (p.version != e.Version || !d.now().Before(p.until)) {
		delete(d.paused, e.ID)
		ok = false
	}
	return ok
}

// pause notes for how long the receiver asked to wait in the round.
func (r *round) pause() {
	if r.outcome.pauseFor == 0 {
		return
	}
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	r.d.paused[r.e.ID] = pause{r.d.now().Add(r.outcome.pauseFor), r.e.Version}
}
