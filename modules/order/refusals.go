package order

import "sync"

const (
	// suspectTries is after how many failures of its own an order goes to the dead entries.
	suspectTries = 5
	// maxSuspects bounds how many orders are remembered.
	maxSuspects = 10_000
)

// suspects counts the failures of orders that SQL refuses by themselves with an error that nothing
// is known of, such as that of a trigger. An order is given up only if others were committed since
// it was first tried: where every order fails, the fault is the store's, and all of them wait.
type suspects struct {
	mu       sync.Mutex
	commits  int // transactions that stored orders
	failures map[Number]failure
}

type failure struct {
	times int
	since int // commits when the order was first tried by itself
}

// committed counts a transaction that stored this many orders.
func (s *suspects) committed(orders int) {
	if orders == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits++
}

// now returns how many transactions have stored orders.
func (s *suspects) now() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commits
}

// failed counts a failure of an order by itself, in a pass over a batch that began at since commits.
func (s *suspects) failed(n Number, since int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, known := s.failures[n]
	if !known {
		if len(s.failures) >= maxSuspects {
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
func (s *suspects) hopeless(n Number) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failures[n]
	return f.times >= suspectTries && s.commits > f.since
}

// forget drops the count of an order that got a verdict.
func (s *suspects) forget(n Number) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failures, n)
}
