package simulate

// How an instance gathers submits; see modules/gather and place.Config.
const (
	maxCall    = 256
	maxWaiting = 8192
	secondFrom = 12
	// placeWithin is how long a submit waits at most, in s.
	placeWithin = 0.8
	// queueLimit is the number of orders in a lane's queue from which on no order is placed.
	queueLimit = 200_000
)

// submitted is a submit that waits for a call.
type submitted struct {
	at, ready float64 // its arrival; when the instance had read it
	try       stage
}

// gather is the submits of one lane that wait in one instance, and its calls that are under way.
type gather struct {
	waiting []submitted
	calls   [2][]submitted // nil: none
}

// enter lets a submit wait for a call, and begins one if none runs, or a second one if many wait.
func (s *simulation) enter(now float64, gather int, w submitted) {
	g := &s.gathers[gather]
	if len(g.waiting) >= maxWaiting {
		s.overloaded(now, w.try)
		return
	}
	g.waiting = append(g.waiting, w)
	switch {
	case g.calls[0] == nil && g.calls[1] == nil:
		s.call(now, gather, 0)
	case len(g.waiting) < secondFrom:
	case g.calls[0] == nil:
		s.call(now, gather, 0)
	case g.calls[1] == nil:
		s.call(now, gather, 1)
	}
}

// call sends the submits that wait to Redis. Those that have waited for too long are answered with 503.
func (s *simulation) call(now float64, gather, n int) {
	g, lane := &s.gathers[gather], gather%len(s.lanes)
	taken := 0
	var batch []submitted
	for taken < len(g.waiting) && len(batch) < maxCall {
		w := g.waiting[taken]
		taken++
		if now-w.ready > placeWithin || s.lanes[lane].queue >= queueLimit {
			s.overloaded(now, w.try)
			continue
		}
		batch = append(batch, w)
	}
	g.waiting = g.waiting[:copy(g.waiting, g.waiting[taken:])]
	if len(batch) == 0 {
		return
	}
	g.calls[n] = batch
	e := event{kind: callDone, gather: int32(gather), n: int32(n)} //nolint:gosec // at most 10,000 × 1023
	node, work := s.node(lane), s.costs.redisCall
	if node.wait(now) > placeWithin { // the script places nothing after its deadline
		e.kind, e.at = callLate, now+placeWithin
		node.serve(now, work)
	} else {
		work += float64(len(batch)) * s.costs.redisOrder
		e.at = node.serve(now+s.costs.roundTrip/2, work) + s.costs.roundTrip/2
	}
	s.events.push(e)
}

// giveUp answers the submits of a call that Redis did not answer in time, and begins the next one.
func (s *simulation) giveUp(now float64, gather, n int) {
	for _, w := range s.gathers[gather].calls[n] {
		s.overloaded(now, w.try)
	}
	s.endCall(now, gather, n)
}

// endCall begins the next call, if submits wait.
func (s *simulation) endCall(now float64, gather, n int) {
	g := &s.gathers[gather]
	g.calls[n] = nil
	if len(g.waiting) > 0 {
		s.call(now, gather, n)
	}
}

// settle answers the submits of a call, and begins the next one.
func (s *simulation) settle(now float64, gather, n int) {
	g, lane := &s.gathers[gather], &s.lanes[gather%len(s.lanes)]
	for _, w := range g.calls[n] {
		_ = s.submits.RecordValue(int64((now - w.at) * 1e9)) // calls end within a second
		if lane.units == 0 {
			s.refused["sold_out"]++
			continue
		}
		lane.queue++
		if lane.units--; lane.units == 0 {
			lane.soldOut = now
		}
		s.acceptedAt(now)
	}
	s.endCall(now, gather, n)
}
