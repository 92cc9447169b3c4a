package queue

import (
	"sync"

	"onrush/modules/order"
)

const (
	// refusalTries is the number of failures after which an order becomes a dead entry.
	refusalTries = 5
	// maxRefusals bounds the number of orders that are counted.
	maxRefusals = 10_000
)

// refusals counts the failures of single orders that SQL refuses with an unknown error, such as a trigger's.
// An order is abandoned only if other orders were committed since its first try: if every order fails, the
// store is at fault, and all orders wait.
type refusals struct {
	mu       sync.Mutex
	commits  int // transactions that stored orders
	failures map[order.Number]failure
}

type failure struct {
	times int
	since int // commits at the first try of the order alone
}

// committed counts a transaction, unless it stored no orders.
func (r *refusals) committed(orders int) {
	if orders == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commits++
}

// commitsSoFar returns how many transactions have stored orders.
func (r *refusals) commitsSoFar() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.commits
}

// failed counts a failure of a single order, in a pass over a batch that began when since transactions had
// stored orders.
func (r *refusals) failed(n order.Number, since int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, known := r.failures[n]
	if !known {
		if len(r.failures) >= maxRefusals {
			clear(r.failures) // counting starts again
		}
		if r.failures == nil {
			r.failures = map[order.Number]failure{}
		}
		f.since = since
	}
	f.times++
	r.failures[n] = f
}

// hopeless reports whether an order has failed refusalTries times while others were committed.
func (r *refusals) hopeless(n order.Number) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.failures[n]
	return f.times >= refusalTries && r.commits > f.since
}

// forget drops the count of an order that got a verdict.
func (r *refusals) forget(n order.Number) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.failures, n)
}
