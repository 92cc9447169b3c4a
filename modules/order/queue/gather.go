package queue

import (
	"math"
	"time"
)

// crowdRate is the growth of a lane's queue, in orders per second, from which on a crowd places orders in it. With
// fewer, moving takes too little from placing to wait.
const crowdRate = 400

// gathering decides when the orders of one lane are moved. While a crowd places orders, each batch would take
// processor time and Redis from placing, so the orders wait up to a time, and are then moved in full batches.
type gathering struct {
	within time.Duration // 0: orders are moved at once
	most   int64         // that wait at once; 0: any number

	length  int64     // of the queue at the last look
	looked  time.Time // zero before the first look
	waiting time.Time // since when orders wait that were not due yet; zero if there are none
}

// everything is the bound on a run over a lane that moves until its queue is empty.
const everything = math.MaxInt64

// due returns how many orders have to be moved now: none, those that are in the queue, or also those that come
// while they are moved; and whether a crowd places orders meanwhile, so that moving has to leave it processor time.
// length is the length of the queue; running reports whether the lane is being moved.
func (g *gathering) due(length int64, running bool, now time.Time) (most int64, crowd bool) {
	grown, growth := length-g.length, g.crowd(now)
	g.length, g.looked = length, now
	switch {
	case length == 0:
		g.waiting = time.Time{}
		return 0, false
	case running: // it makes the queue shorter, so its growth says nothing
		return 0, false
	case g.within == 0:
		return everything, false
	case grown < growth:
		g.waiting = time.Time{}
		return length, false // not everything: a crowd may come while these are moved
	case g.most > 0 && length >= g.most:
		g.waiting = now
		return length, false // the queue must not become full
	case g.waiting.IsZero():
		g.waiting = now
		return 0, true
	case now.Sub(g.waiting).Abs() < g.within:
		return 0, true
	}
	g.waiting = now // the oldest order that stays behind came after this look
	return length, true
}

// crowd returns by how many orders a crowd makes the queue grow from the last look until now.
func (g *gathering) crowd(now time.Time) int64 {
	const least, longest = 50 * time.Millisecond, time.Second
	elapsed := least
	if !g.looked.IsZero() {
		elapsed = min(max(now.Sub(g.looked), least), longest)
	}
	return int64(crowdRate * elapsed.Seconds())
}
