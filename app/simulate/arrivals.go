package simulate

import (
	"math"
	"math/rand/v2"
)

const (
	// spikeShare is the part of the visitors who come within Config.Over.
	spikeShare = 0.8
	never      = math.MaxFloat64
)

// arrivals are the times at which visitors come, one after the other: the visitors of the spike come evenly spread, and
// the times between the others grow until nobody is left.
type arrivals struct {
	random      *rand.Rand
	at          float64 // of the next one, in s; never if there is none
	over        float64 // s
	spike, tail int     // visitors still to come, without the next one
}

func newArrivals(visitors int, over float64, random *rand.Rand) *arrivals {
	spike := int(math.Round(float64(visitors) * spikeShare))
	a := &arrivals{random: random, over: over, spike: spike, tail: visitors - spike}
	a.next()
	return a
}

// left returns how many visitors have not come yet.
func (a *arrivals) left() int {
	if a.at == never {
		return 0
	}
	return 1 + a.spike + a.tail
}

// next draws the next arrival: the least of the times left, which needs no list of them.
func (a *arrivals) next() {
	switch {
	case a.spike > 0:
		a.at += (a.over - a.at) * -math.Expm1(math.Log(1-a.random.Float64())/float64(a.spike))
		a.spike--
	case a.tail > 0:
		a.at = max(a.at, a.over) + a.over*a.random.ExpFloat64()/float64(a.tail)
		a.tail--
	default:
		a.at = never
	}
}
