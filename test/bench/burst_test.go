package bench

import (
	"testing"
	"time"

	"onrush/modules/catalogue"
	"onrush/modules/seckill/gates/limits"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	burstOrders  = 20_000
	streamOrders = 60_000
	burstWithin  = 60.0 // s that a burst takes at most

	// What the burst has to bring of an empty handler, with movers of that without them, and orders placed and stored
	// of an empty handler.
	leastBurst, leastBesideMovers, leastStored = 0.095, 0.7, 0.048
)

// burstLimits are the limits of requests of a sale with everything: no buyer of a burst is over one.
var burstLimits = limits.Settings{
	Item: limits.Limit{Requests: 1_000_000, Seconds: 1}, User: limits.Limit{Requests: 10, Seconds: 1},
	IP: limits.Limit{Requests: 1_000_000, Seconds: 1},
}

// BenchmarkBurst places 20,000 orders over 64 connections as fast as it can, each of a buyer who has not ordered
// before, in a sale with permits, purchase limits and limits of requests. The buyers took their paths and permits
// shortly before. It does so with movers and without them, and compares both with an empty Fiber handler.
func BenchmarkBurst(b *testing.B) {
	s := newBurst(b)
	empty := serveEmpty(b)
	var ofEmpty, ofIdle turns
	var p99s []float64
	var cost, costUnmoved used
	orders := 0.0
	n := few(burstOrders)
	for b.Loop() {
		var placed, alone float64
		with := func() float64 {
			submits := s.permitted(b, n)
			before := s.uses(b)
			r := s.placeAll(b, submits, n)
			cost.since(before, s.uses(b))
			p99s, placed = append(p99s, r.P99), r.Rate("202")
			s.drain(b)
			return placed
		}
		without := func() float64 {
			submits := s.permitted(b, n)
			s.moving(b, "pause")
			before := s.uses(b)
			alone = s.place(b, submits, n)
			costUnmoved.since(before, s.uses(b))
			orders += float64(n)
			s.moving(b, "resume")
			s.drain(b)
			return alone
		}
		ofIdle.take(with, without)
		ofEmpty.take(func() float64 { return placed }, func() float64 { return s.empty(b, empty) })
	}
	cost.report(b, orders, "")
	costUnmoved.report(b, orders, "unmoved-")
	b.ReportMetric(median(p99s), "p99-ms")
	b.ReportMetric(median(ofIdle.theirs), "unmoved-orders/s")
	b.ReportMetric(median(ofIdle.ratios), "ratio-to-unmoved")
	ofEmpty.report(b, "orders/s", "empty/s", leastBurst)
	if ratio := median(ofIdle.ratios); len(ofIdle.ratios) >= enoughTurns && ratio < leastBesideMovers {
		b.Errorf("movers leave %.2f of the burst, but have to leave %.2f", ratio, leastBesideMovers)
	}
}

// BenchmarkStored places 60,000 orders, as BenchmarkBurst does, and waits until SQL has all of them.
func BenchmarkStored(b *testing.B) {
	s := newBurst(b)
	empty := serveEmpty(b)
	var speeds turns
	var cost used
	orders := 0.0
	n := few(streamOrders)
	for b.Loop() {
		speeds.take(
			func() float64 {
				submits := s.permitted(b, n)
				before := s.uses(b)
				r := s.placeAll(b, submits, n)
				drained := time.Now()
				s.drain(b)
				took := r.Seconds + time.Since(drained).Seconds()
				cost.since(before, s.uses(b))
				orders += float64(n)
				return float64(n) / took
			},
			func() float64 { return s.empty(b, empty) },
		)
	}
	cost.report(b, orders, "")
	speeds.report(b, "orders/s", "empty/s", leastStored)
}

// burst is the program with a sale that has everything, and the buyers who come to it.
type burst struct{ *buyers }

func newBurst(b *testing.B) burst {
	b.Helper()
	return newBurstOn(b, startProgram(b))
}

func newBurstOn(b *testing.B, p *program) burst {
	b.Helper()
	s := burst{&buyers{program: p}}
	s.activity = s.inspector.Open(b, site.Sale{
		Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}, PermitRatio: 10, PurchaseLimit: 5, SKULimit: 5,
		Limits: burstLimits,
	})
	s.place(b, s.permitted(b, burstOrders/4), burstOrders/4) // warm up
	s.drain(b)
	return s
}

// permitted returns the submits of n new buyers who have paths and permits.
func (s burst) permitted(b *testing.B, n int) []load.Request {
	b.Helper()
	submits := s.next(b, n)
	s.askPaths(b, submits)
	return submits
}

// empty returns how many requests of the length of a submit an empty handler answers per second.
func (s burst) empty(b *testing.B, addr string) float64 {
	b.Helper()
	plan := load.Plan{
		Addr: addr, Connections: connections, Seconds: few(requestSeconds),
		Requests: s.submits(b, 0, crowdUsers, always(s.activity)),
	}
	return generate(b, plan)[0].Rate("200")
}
