package bench

import (
	"testing"

	"onrush/test/kit"
)

// leastConfirmed is what a WAIT for a replica has to leave of the speed of a burst.
const leastConfirmed = 0.9

// BenchmarkConfirmed places 20,000 orders as BenchmarkBurst does, on a Redis with one replica, and compares a program
// that waits for the replica (ONRUSH_REDIS_REPLICAS=1) with one that doesn't.
func BenchmarkConfirmed(b *testing.B) {
	stores := kit.Own(b, kit.FsyncEverySecond())
	kit.StartReplica(b, stores.Stores, "")
	plain := newBurstOn(b, startProgramOn(b, stores))
	confirmed := newBurstOn(b, startProgramOn(b, stores, "ONRUSH_REDIS_REPLICAS=1"))
	place := func(s burst) float64 {
		speed := s.place(b, s.permitted(b, few(burstOrders)), few(burstOrders))
		s.drain(b)
		return speed
	}
	var speeds turns
	for b.Loop() {
		speeds.take(func() float64 { return place(confirmed) }, func() float64 { return place(plain) })
	}
	speeds.report(b, "confirmed-orders/s", "orders/s", leastConfirmed)
}
