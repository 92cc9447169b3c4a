package queue

import (
	"math"
	"time"
)

// crowdRate is the growth of all queues together, in orders per second, from which on a crowd places orders. With
// fewer, moving takes too little from placing to wait.
const crowdRate = 400

// gathering decides when the orders of the lanes are moved. While a crowd places orders, in whatever lanes, each batch
// would take processor time and Redis from placing, so the orders wait up to a time, and then move in full batches.
type gathering struct {
	within time.Duration // 0: orders are moved at once
	most   int64         // that wait at once in a lane; 0: any number

	looked time.Time // at the lanes last; zero before the first look
	lanes  []gathered
}

// gathered is what gathering knows of one lane.
type gathered struct {
	length  int64     // of the queue at the last look
	waiting time.Time // since when orders wait that were not due yet; zero if there are none
}

// look is the state of a lane's queue.
type look struct {
	length  int64 // or unknown
	running bool  // the lane is being moved
}

// dueOrders are the orders of a lane that have to be moved now.
type dueOrders struct {
	most  int64 // 0: none; everything: also those that come while they are moved
	crowd bool  // places orders meanwhile, so that moving has to leave it processor time
}

// everything is the bound on a run over a lane that moves until its queue is empty.
const everything = math.MaxInt64

// due returns which orders have to be moved now, by lane.
func (g *gathering) due(looks []look, now time.Time) []dueOrders {
	for len(g.lanes) < len(looks) { // lanes may be added at any time
		g.lanes = append(g.lanes, gathered{})
	}
	grown := int64(0)
	for lane, l := range looks {
		if l.length == unknown {
			continue
		}
		if !l.running { // a run makes the queue shorter, so its growth says nothing
			grown += max(l.length-g.lanes[lane].length, 0)
		}
		g.lanes[lane].length = l.length
	}
	crowd := grown >= g.crowd(now)
	g.looked = now
	due := make([]dueOrders, len(looks))
	for lane, l := range looks {
		if l.length != unknown {
			due[lane] = g.dueOf(&g.lanes[lane], l, crowd, now)
		}
	}
	return due
}

// dueOf returns which orders of one lane have to be moved now.
func (g *gathering) dueOf(lane *gathered, l look, crowd bool, now time.Time) dueOrders {
	switch {
	case l.length == 0:
		lane.waiting = time.Time{}
		return dueOrders{}
	case l.running:
		return dueOrders{}
	case g.within == 0:
		return dueOrders{most: everything}
	case !crowd:
		lane.waiting = time.Time{}
		return dueOrders{most: l.length} // not everything: a crowd may come while these are moved
	case g.most > 0 && l.length >= g.most:
		lane.waiting = now
		return dueOrders{most: l.length} // the queue must not become full
	case lane.waiting.IsZero():
		lane.waiting = now
		return dueOrders{}
	case now.Sub(lane.waiting).Abs() < g.within:
		return dueOrders{}
	}
	lane.waiting = now // the oldest order that stays behind came after this look
	return dueOrders{most: l.length, crowd: true}
}

// crowd returns by how many orders a crowd makes the queues grow from the last look until now.
func (g *gathering) crowd(now time.Time) int64 {
	const least, longest = 50 * time.Millisecond, time.Second
	elapsed := least
	if !g.looked.IsZero() {
		elapsed = min(max(now.Sub(g.looked), least), longest)
	}
	return int64(crowdRate * elapsed.Seconds())
}
