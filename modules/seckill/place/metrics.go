package place

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/lua"
)

// metrics measure how this instance places orders.
type metrics struct {
	accepted    prometheus.Counter
	unconfirmed prometheus.Counter
	seconds     prometheus.Histogram // from Place to its answer
	calls       prometheus.Histogram // one script call
	batches     prometheus.Histogram // orders of a call
}

func newMetrics() *metrics {
	seconds := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}
	return &metrics{
		accepted: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "onrush_orders_accepted_total", Help: "Orders of sales that this instance has placed in Redis.",
		}),
		unconfirmed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "onrush_orders_unconfirmed_total",
			Help: "Submits answered 503 since too few replicas of Redis had their orders in time.",
		}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "onrush_place_duration_seconds", Buckets: seconds,
			Help: "How long orders waited until Redis had placed or refused them, among that for their batch.",
		}),
		calls: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "onrush_place_call_duration_seconds", Buckets: seconds,
			Help: "Durations of the calls that place a batch in Redis.",
		}),
		batches: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "onrush_place_batch_orders", Help: "Orders in one call that places them.",
			Buckets: prometheus.ExponentialBuckets(1, 4, 6),
		}),
	}
}

// called counts one call and the orders that it placed, and returns how many these are.
func (m *metrics) called(began time.Time, results []lua.PlaceResult) (placed int) {
	m.calls.Observe(time.Since(began).Seconds())
	m.batches.Observe(float64(len(results)))
	for i := range results {
		if results[i].Code == lua.Placed {
			placed++
		}
	}
	m.accepted.Add(float64(placed))
	return placed
}

// Metrics returns how this instance places orders.
func (p *Placer) Metrics() []prometheus.Collector {
	m := p.metrics
	return []prometheus.Collector{m.accepted, m.unconfirmed, m.seconds, m.calls, m.batches}
}
