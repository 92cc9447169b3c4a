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

// take takes one request. instances is how many there are, 0 if that is not known, or notAsked. If report is above 0,
// the caller must report that many requests to the Judge, and then call answered. If wait is not nil, nothing is taken:
// the Judge is asked about the client, and take must be called again when the channel is closed.
func (b *bucket) take(p Policy, instances int, now time.Time) (r Result, report int, wait <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.refusedUntil.Sub(now); wait > 0 && wait <= p.Period {
		return Result{Reset: max(b.empty.Sub(now), wait), Retry: wait, Hold: b.refusals.next(now)}, 0, nil
	}
	empty := b.empty
	switch ahead := empty.Sub(now); {
	case ahead <= -p.span():
		empty, b.unreported = now, 0 // the last requests are so long ago that they no longer count
	case ahead <= 0:
		empty = now // unreported requests still count, since as many may have passed on each instance
	case ahead > p.span()+clockJump:
		empty = now // the clock was set back
	}
	used, full := empty.Add(p.interval()).Sub(now), p.span()
	if used > full {
		return Result{Reset: empty.Sub(now), Retry: used - full, Hold: b.refusals.next(now)}, 0, nil
	}
	unreported := b.unreported + 1
	if instances == 1 { // no request passed elsewhere, and requests that are forgotten need no report
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

// clockJump is by how much time must go back until the clock counts as set back. Smaller differences are normal:
// requests at the same time may read the clock in one order and take the lock in another.
const clockJump = time.Second

// reportAt returns how many requests of a client an instance lets pass before it reports them to the Judge: its part of
// the limit. The part is at most half of the limit, so that an instance that restarts hasn't forgotten a whole limit.
// It is at least two if two is at most half of the limit: then most buyers, who take a path and order, cost no call
// while there are few instances. Of the requests that an instance lets pass, the Judge never hears of reportAt - 1, and
// of as many again that pass while a report is on its way.
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

// refuse refuses all requests until wait is over. uncounted is how many of the reported requests had passed and were
// not counted by the Judge: they must be reported again. If they are more than the limit, which may have been lowered,
// the surplus is forgotten.
func (b *bucket) refuse(p Policy, now time.Time, wait time.Duration, uncounted int) Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unreported = min(b.unreported+uncounted, p.Requests)
	b.refusedUntil = now.Add(wait)
	return Result{Reset: max(b.empty.Sub(now), wait), Retry: wait, Hold: b.refusals.next(now)}
}
