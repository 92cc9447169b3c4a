package delivery

import (
	"cmp"
	"time"
)

const (
	// giveUpAfter is how long an event is retried, and how long an endpoint may fail until it is switched off.
	giveUpAfter = 72 * time.Hour
	// recoveredAfter is for how long an endpoint must have failed for its next success to count as a recovery. So a
	// receiver that refuses single events doesn't get them again after each success.
	recoveredAfter = 4 * time.Second
	// offSilent and offGone are why an endpoint was switched off, as operators read it.
	offSilent = "no delivery succeeded for three days"
	offGone   = "it answered 410: it wants no more events"
)

// giveUp ends the retries of events that the endpoint has refused for three days while it took others.
func (r *round) giveUp() {
	since := r.failingSince()
	for _, it := range r.kept() {
		row := &it.row
		if it.state == done && row.Status == waiting && row.AtMS-row.FirstMS >= giveUpAfter.Milliseconds() &&
			(since == 0 || since > row.FirstMS) {
			onGivenUp.Mark()
			row.Status, row.NextMS = failed, 0
		}
	}
}

// offReason returns why the endpoint is switched off, "" if it isn't. What waits goes on waiting.
func (r *round) offReason() string {
	since := r.failingSince()
	switch {
	case r.outcome.off:
		return offGone
	case since != 0 && r.outcome.streak > 0 && r.startMS-since >= giveUpAfter.Milliseconds():
		return offSilent
	}
	return ""
}

// failingSince returns since when no delivery has succeeded, 0 if the last one did.
func (r *round) failingSince() int64 {
	o := &r.outcome
	switch {
	case o.attempts == 0:
		return r.e.FailingSince
	case o.delivered > 0:
		return o.since
	}
	return cmp.Or(r.e.FailingSince, o.since)
}

// recovered reports whether the endpoint answers again after it had failed for a while.
func (r *round) recovered() bool {
	return r.outcome.delivered > 0 && r.e.FailingSince != 0 &&
		r.startMS-r.e.FailingSince >= recoveredAfter.Milliseconds()
}

// drop gives up an item that can't be sent.
func (r *round) drop(it *item, why string) {
	it.state, it.row.Status, it.row.Error, it.row.NextMS = done, failed, why, 0
	it.row.AtMS = r.d.now().UnixMilli()
	r.outcome.mu.Lock()
	defer r.outcome.mu.Unlock()
	r.outcome.gone++
}
