package limit

import (
	"sync"
	"time"
)

// bucket is the state of one user or address on this instance.
type bucket struct {
	mu sync.Mutex
	// empty is the time at which all requests that passed are forgotten: the "theoretical arrival time".
	empty time.Time
	// unreported is how many requests passed that the Judge doesn't know of.
	unreported int
	// refusedUntil is when the Judge allows the next request.
	refusedUntil time.Time
	refusals     pace
	asking       chan struct{} // is closed when the Judge has answered; nil: it isn't asked
}

// Result is the answer to one request.
type Result struct {
	Allowed   bool
	Remaining int           // requests that may still be sent at once
	Reset     time.Duration // until all requests are allowed again
	Retry     time.Duration // until the next request is allowed; 0 if this one is
	Hold      time.Duration // by which the answer to a request that isn't allowed should be delayed
}

// notAsked stands for the number of instances if the Judge isn't asked.
const notAsked = -1

// take takes one request. instances is how many there are, 0 if that is not known, or notAsked. report is above 0 if
// the Judge must be told of that many; then answered must be called. If wait is not nil, nothing is taken: the Judge is
// asked about the client, and take must be called again when the channel is closed.
func (b *bucket) take(p Policy, instances int, now time.Time) (r Result, report int, wait <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.refusedUntil.Sub(now); wait > 0 && wait <= p.Period {
		return Result{Reset: max(b.empty.Sub(now), wait), Retry: wait, Hold: b.refusals.next(now)}, 0, nil
	}
	empty := b.empty
	switch ahead := empty.Sub(now); {
	case ahead <= -p.span():
		empty, b.unreported = now, 0 // so rare that they count no more
	case ahead <= 0:
		empty = now // the unreported ones still count, since as many may have passed on each instance
	case ahead > p.span()+clockJump:
		empty = now // the clock was set back
	}
	used, full := empty.Add(p.interval()).Sub(now), p.span()
	if used > full {
		return Result{Reset: empty.Sub(now), Retry: used - full, Hold: b.refusals.next(now)}, 0, nil
	}
	unreported := b.unreported + 1
	if instances == 1 { // none passed elsewhere, and those that are forgotten need not be told of
		unreported = min(unreported, int(used/p.interval()))
	}
	if unreported >= reportAt(p, instances) {
		if instances != notAsked {
			if b.asking != nil { // one report at a time, or a flood would pass before the first is answered
				return Result{}, 0, b.asking
			}
			report, b.asking = unreported, make(chan struct{})
		}
		unreported = 0
	}
	b.empty, b.unreported = now.Add(used), unreported
	return Result{Allowed: true, Remaining: int((full - used) / p.interval()), Reset: used}, report, nil
}

// answered lets the requests continue that wait for the Judge's answer.
func (b *bucket) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.asking)
	b.asking = nil
}

// clockJump is the least difference that is taken for a clock that was set back. Requests at the same time may
// have read the clock in another order than they take the lock.
const clockJump = time.Second

// reportAt returns at how many requests of a client an instance tells the Judge of them: its part of the limit, but at
// most half of it, so that one which starts anew doesn't forget all, and at least two if that is at most half. So with
// few instances most buyers, who take a path and order, cost no call. Each instance lets at most one request fewer than
// that pass that the Judge never hears of, and as many again while it is asked.
func reportAt(p Policy, instances int) int {
	const few, leastParts, partsUnknown = 2, 2, 8
	if p.Requests < 2*few {
		return 1
	}
	parts := max(instances, leastParts)
	if instances <= 0 {
		parts = partsUnknown
	}
	return max(p.Requests/parts, few)
}

// refuse refuses all requests until wait is over. uncounted is how many of the reported requests passed before and were
// not counted by the Judge, which must be told of them again; those beyond a limit that was lowered are forgotten.
func (b *bucket) refuse(p Policy, now time.Time, wait time.Duration, uncounted int) Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unreported = min(b.unreported+uncounted, p.Requests)
	b.refusedUntil = now.Add(wait)
	return Result{Reset: max(b.empty.Sub(now), wait), Retry: wait, Hold: b.refusals.next(now)}
}
