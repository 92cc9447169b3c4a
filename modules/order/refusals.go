package order

import "sync"

const (
	// refusalTries is after how many failures of its own an order goes to the dead entries.
	refusalTries = 5
	// maxRefusals bounds how many orders are remembered.
	maxRefusals = 10_000
)

// refusals counts the failures of orders that SQL refuses by themselves with an error that nothing
// is known of, such as that of a trigger. An order is given up only if others were committed since
// it was first tried: where every order fails, the fault is the store's, and all of them wait.
type refusals struct {
	mu       sync.Mutex
	commits  int // transactions that stored orders
	failures map[Number]failure
}

type failure struct {
	times int
	since int // commits when the order was first tried by itself
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

// failed counts a failure of an order by itself, in a pass over a batch that began at since commits.
func (s *refusals) failed(n Number, since int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, known := s.failures[n]
	if !known {
		if len(s.failures) >= maxRefusals {
			clear(s.failures) // they are counted anew
		}
		if s.failures == nil {
			s.failures = map[Number]failure{}
		}
		f.since = since
	}
	f.times++
	s.failures[n] = f
}

// hopeless says whether an order has failed often enough while others were committed.
func (s *refusals) hopeless(n Number) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failures[n]
	return f.times >= refusalTries && s.commits > f.since
}

// forget drops the count of an order that got a verdict.
func (s *refusals) forget(n Number) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failures, n)
}
