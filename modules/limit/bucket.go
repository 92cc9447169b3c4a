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
}

// Result is the answer to one request.
type Result struct {
	Allowed   bool
	Remaining int           // requests that may still be sent at once
	Reset     time.Duration // until all requests are allowed again
	Retry     time.Duration // until the next request is allowed; 0 if this one is
	Hold      time.Duration // by which the answer to a request that isn't allowed should be delayed
}

// take takes one request at a time. instances is how many there are, or 0 if that is not known. report is above 0 if
// the Judge must be told of that many.
func (b *bucket) take(p Policy, instances int, now time.Time) (r Result, report int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.refusedUntil.Sub(now); wait > 0 && wait <= p.Period {
		return Result{Reset: max(b.empty.Sub(now), wait), Retry: wait, Hold: b.refusals.next(now)}, 0
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
		return Result{Reset: empty.Sub(now), Retry: used - full, Hold: b.refusals.next(now)}, 0
	}
	b.empty = now.Add(used)
	b.unreported++
	if b.unreported >= reportAt(p, instances) {
		report, b.unreported = b.unreported, 0
	}
	return Result{Allowed: true, Remaining: int((full - used) / p.interval()), Reset: used}, report
}

// clockJump is the least difference that is taken for a clock that was set back. Requests at the same time may
// have read the clock in another order than they take the lock.
const clockJump = time.Second

// reportAt returns at how many requests of a client an instance tells the Judge of them: its part of the limit, but at
// most half of it, so that one which starts anew doesn't forget all, and at least two if that is at most half. So most
// buyers, who take a path and order, cost no call. Each instance lets at most one request fewer than that pass beyond
// the limit in each period: all together not as many as the limit has, but for instances beyond half of that number.
func reportAt(p Policy, instances int) int {
	const few, leastParts, partsUnknown = 2, 2, 8
	if p.Requests < 2*few {
		return 1
	}
	parts := max(instances, leastParts)
	if instances == 0 {
		parts = partsUnknown
	}
	return max(p.Requests/parts, few)
}

// refuse refuses all requests until wait is over. uncounted is how many of the reported requests passed before and were
// not counted by the Judge, which must be told of them again.
func (b *bucket) refuse(now time.Time, wait time.Duration, uncounted int) Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unreported += uncounted
	b.refusedUntil = now.Add(wait)
	return Result{Reset: max(b.empty.Sub(now), wait), Retry: wait, Hold: b.refusals.next(now)}
}
