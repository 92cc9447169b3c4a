package simulate

// How movers work; see queue.MoverConfig and gather.go in modules/order/queue.
const (
	moveBatch    = 500
	moveAtOnce   = 3      // batches of a lane, unless a crowd places orders in it
	moveWithin   = 1.0    // s that orders wait in a crowd
	moveGather   = 50_000 // orders that wait in a crowd at most
	crowdPerTick = 20     // orders by which a crowd makes a queue grow: 400 per second
)

// lane is a sale's units in Redis, and the queue of its orders for SQL.
type lane struct {
	units   int
	soldOut float64 // when the last unit was sold; never before
	queue   int     // orders that SQL doesn't have
	length  int     // of the queue at the last tick
	since   float64 // since when orders wait for a crowd to end; 0 if none do
	due     int     // orders that the run has yet to read
	atOnce  int     // batches of the run that may be under way
	batches int     // that are under way
}

// wakeMovers begins a run over each lane whose orders are due.
func (s *simulation) wakeMovers(now float64) {
	for i := range s.lanes {
		l := &s.lanes[i]
		grown := l.queue - l.length
		l.length = l.queue
		switch {
		case l.queue == 0:
			l.since = 0
		case l.due > 0 || l.batches > 0: // a run is under way
		case grown < crowdPerTick:
			l.since, l.due, l.atOnce = 0, l.queue, moveAtOnce
		case l.queue >= moveGather:
			l.since, l.due, l.atOnce = now, l.queue, moveAtOnce
		case l.since == 0:
			l.since = now
		case now-l.since >= moveWithin:
			l.since, l.due, l.atOnce = now, l.queue, 1
		}
		s.move(now, i)
	}
}

// move reads batches of a lane from Redis, as many as may be under way.
func (s *simulation) move(now float64, i int) {
	l := &s.lanes[i]
	for l.due > 0 && l.batches < l.atOnce {
		n := min(l.due, moveBatch)
		l.due -= n
		l.batches++
		read := s.node(i).serve(now+s.costs.roundTrip/2, float64(n)*s.costs.redisMove) + s.costs.roundTrip/2
		done := s.instances[s.instance()].serve(read, float64(n)*s.costs.move)
		//nolint:gosec // at most 1023 and 500
		s.events.push(event{at: done, kind: batchRead, gather: int32(i), n: int32(n)})
	}
}

// stored ends a batch of a lane.
func (s *simulation) stored(now float64, i, n int) {
	l := &s.lanes[i]
	l.queue -= n
	l.batches--
	s.lastStored = now
	s.move(now, i)
}

func (s *simulation) isQueued() bool {
	for i := range s.lanes {
		if s.lanes[i].queue > 0 {
			return true
		}
	}
	return false
}
