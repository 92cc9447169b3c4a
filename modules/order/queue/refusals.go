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

// committed counts a transaction that stored this many orders.
func (s *refusals) committed(orders int) {
	if orders == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits++
}

// now returns how many transactions have stored orders.
func (s *refusals) now() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commits
}

// failed counts a failure of a single order, in a pass over a batch that began after since commits.
func (s *refusals) failed(n order.Number, since int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, known := s.failures[n]
	if !known {
		if len(s.failures) >= maxRefusals {
			clear(s.failures) // counting starts again
		}
		if s.failures == nil {
			s.failures = map[order.Number]failure{}
		}
		f.since = since
	}
	f.times++
	s.failures[n] = f
}

// hopeless reports whether an order has failed refusalTries times while others were committed.
func (s *refusals) hopeless(n order.Number) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failures[n]
	return f.times >= refusalTries && s.commits > f.since
}

// forget drops the count of an order that got a verdict.
func (s *refusals) forget(n order.Number) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failures, n)
}
