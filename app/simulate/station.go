package simulate

import "math"

// station serves jobs in the order in which they come, each on the first of its processors to be free.
type station struct {
	free []float64 // by processor: when it is free, in s
	used *usage
}

func newStation(processors int, used *usage) station {
	used.processors += processors
	return station{free: make([]float64, processors), used: used}
}

// serve adds a job that comes at a time, and returns when it is done.
func (s *station) serve(at, seconds float64) (done float64) {
	first := 0
	for i, free := range s.free {
		if free < s.free[first] {
			first = i
		}
	}
	start := max(at, s.free[first])
	s.free[first] = start + seconds
	s.used.add(start, seconds)
	return start + seconds
}

// wait returns how long a job that comes at a time waits for a processor.
func (s *station) wait(at float64) float64 {
	first := s.free[0]
	for _, free := range s.free[1:] {
		first = min(first, free)
	}
	return max(first-at, 0)
}

// spread adds small jobs that come at a time, as one piece of work for all processors.
func (s *station) spread(at, seconds float64) {
	part := seconds / float64(len(s.free))
	for i := range s.free {
		start := max(at, s.free[i])
		s.free[i] = start + part
		s.used.add(start, part)
	}
}

// usage is how busy the stations of a kind are.
type usage struct {
	processors int
	busy       []float64 // processor seconds, by the second in which a job began
}

func (u *usage) add(start, seconds float64) {
	second := int(start)
	for len(u.busy) <= second {
		u.busy = append(u.busy, 0)
	}
	u.busy[second] += seconds
}

// share returns the busy part of the processors in the first seconds, 0 to 1; at least in one second.
func (u *usage) share(seconds float64) float64 {
	whole, sum := max(int(math.Ceil(seconds)), 1), 0.0
	for _, busy := range u.busy[:min(whole, len(u.busy))] {
		sum += busy
	}
	return min(sum/max(seconds, 1)/float64(u.processors), 1)
}

// peak returns the busy part of the busiest second.
func (u *usage) peak() (highest float64) {
	for _, busy := range u.busy {
		highest = max(highest, busy)
	}
	return min(highest/float64(u.processors), 1)
}
