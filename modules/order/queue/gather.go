package queue

import (
	"math"
	"time"
)

// crowd is by how many orders the queue of a lane grows between two looks, about Every apart, while a crowd places
// orders in it. With fewer, moving takes too little from placing to wait.
const crowd = 20

// gathering decides when the orders of one lane are moved. While a crowd places orders, each batch would take
// processor time and Redis from placing, so the orders wait up to a time, and are then moved in full batches.
type gathering struct {
	within time.Duration // 0: orders are moved at once

	length  int64     // of the queue at the last look
	waiting time.Time // since when orders wait that were not due yet; zero if there are none
}

// everything is the bound on a run over a lane that moves until its queue is empty.
const everything = math.MaxInt64

// due returns how many orders have to be moved now: none, those that have waited long enough, or everything.
// length is that of the queue; running reports whether the lane is being moved.
func (g *gathering) due(length int64, running bool, now time.Time) int64 {
	grown := length - g.length
	g.length = length
	switch {
	case length == 0:
		g.waiting = time.Time{}
		return 0
	case running: // it makes the queue shorter, so its growth says nothing
		return 0
	case g.within == 0 || grown < crowd:
		g.waiting = time.Time{}
		return everything
	case g.waiting.IsZero():
		g.waiting = now
		return 0
	case now.Sub(g.waiting).Abs() < g.within:
		return 0
	}
	g.waiting = now // the oldest order that stays behind came after this look
	return length
}
