package bench

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	burstOrders  = 20_000
	burstBuyers  = 2000
	streamOrders = 60_000
	burstWithin  = 60.0 // s that a burst takes at most

	// What the burst has to bring of an empty handler, with movers of that without them, and orders placed and stored
	// of an empty handler.
	leastBurst, leastBesideMovers, leastStored = 0.15, 0.7, 0.08
)

// BenchmarkBurst places 20,000 orders over 64 connections as fast as it can, with movers and without them, and
// compares both with an empty Fiber handler.
func BenchmarkBurst(b *testing.B) {
	s := newBurst(b)
	empty := serveEmpty(b)
	var ofEmpty, ofIdle turns
	var p99s []float64
	var cost, costUnmoved used
	orders := 0.0
	for b.Loop() {
		var placed, alone float64
		with := func() float64 {
			before := s.program.uses(b)
			placed = s.place(b, burstOrders, &p99s)
			cost.since(before, s.program.uses(b))
			s.program.drain(b)
			return placed
		}
		without := func() float64 {
			s.moving(b, "pause")
			before := s.program.uses(b)
			alone = s.place(b, burstOrders, nil)
			costUnmoved.since(before, s.program.uses(b))
			orders += burstOrders
			s.moving(b, "resume")
			s.program.drain(b)
			return alone
		}
		ofIdle.take(with, without)
		plan := s.plan(0)
		plan.Addr, plan.Seconds = empty, requestSeconds
		ofEmpty.take(func() float64 { return placed }, func() float64 { return generate(b, plan)[0].Rate("200") })
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

// BenchmarkStored places 60,000 orders and waits until SQL has all of them.
func BenchmarkStored(b *testing.B) {
	s := newBurst(b)
	empty := serveEmpty(b)
	var speeds turns
	var cost used
	orders := 0.0
	for b.Loop() {
		speeds.take(
			func() float64 {
				before, began := s.program.uses(b), time.Now()
				s.place(b, streamOrders, nil)
				s.program.drain(b)
				took := time.Since(began).Seconds()
				cost.since(before, s.program.uses(b))
				orders += streamOrders
				return streamOrders / took
			},
			func() float64 {
				plan := s.plan(0)
				plan.Addr, plan.Seconds = empty, requestSeconds
				return generate(b, plan)[0].Rate("200")
			},
		)
	}
	cost.report(b, orders, "")
	speeds.report(b, "orders/s", "empty/s", leastStored)
}

// burst is the program with a sale and many buyers who have paths, which outlast the benchmark.
type burst struct {
	program  *program
	activity string
	submits  []load.Request
}

func newBurst(b *testing.B) *burst {
	b.Helper()
	s := &burst{program: startProgram(b)}
	s.activity = s.program.inspector.Open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}})
	s.submits = s.program.submits(b, 0, burstBuyers, always(s.activity))
	s.place(b, burstOrders/4, nil) // warm up
	s.program.drain(b)
	return s
}

func (s *burst) plan(most int64) load.Plan {
	return load.Plan{
		Addr: s.program.addr(), Connections: connections, Seconds: burstWithin, Most: most, Requests: s.submits,
	}
}

// place places n orders, and returns how many were accepted per second.
func (s *burst) place(b *testing.B, n int64, p99s *[]float64) float64 {
	b.Helper()
	r := generate(b, s.plan(n))[0]
	b.Log(r)
	require.Equal(b, n, r.Answers["202"], "%v", r)
	if p99s != nil {
		*p99s = append(*p99s, r.P99)
	}
	return r.Rate("202")
}

// moving pauses or resumes the movers.
func (s *burst) moving(b *testing.B, what string) {
	b.Helper()
	a := s.program.inspector.Operator(b).Insist(http.MethodPost, "/admin/api/v1/jobs/move_orders/"+what, "", nil)
	require.Less(b, a.Status, 300, string(a.Body))
	known, cancel := context.WithTimeout(b.Context(), 2*time.Second) // a program reads the pauses once a second
	defer cancel()
	<-known.Done()
}
