package queue

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/lua"
)

// moveMetrics count the entries that this instance has moved.
type moveMetrics struct {
	moved    *prometheus.CounterVec
	verdicts map[lua.Verdict]prometheus.Counter
	latency  prometheus.Histogram
	// renumbered should never count: numbers are made so that no two orders have one.
	renumbered prometheus.Counter
}

func newMoveMetrics() *moveMetrics {
	moved := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "onrush_orders_moved_total", Help: "Queue entries that this instance has moved to SQL, by their verdict.",
	}, []string{"verdict"})
	return &moveMetrics{
		moved: moved,
		verdicts: map[lua.Verdict]prometheus.Counter{
			lua.VerdictStored:    moved.WithLabelValues("stored"),
			lua.VerdictFailed:    moved.WithLabelValues("failed"),
			lua.VerdictOverLimit: moved.WithLabelValues("over_limit"),
			lua.VerdictDead:      moved.WithLabelValues("dead"),
			lua.VerdictRepeat:    moved.WithLabelValues("repeat"),
		},
		latency: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "onrush_order_move_latency_seconds", Help: "Times from placing an order to its end in the queue.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
		}),
		renumbered: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "onrush_orders_renumbered_total",
			Help: "Orders that this instance gave another number, since SQL had another order with theirs.",
		}),
	}
}

// add counts the entries of a batch that were settled.
func (m *moveMetrics) add(moved []waiting, now time.Time) {
	for i := range moved {
		w := &moved[i]
		if w.verdict.Verdict == lua.VerdictWait || w.lost && w.verdict.Verdict != lua.VerdictDead {
			continue // counted when it was settled
		}
		if count, known := m.verdicts[w.verdict.Verdict]; known {
			count.Inc()
		}
		if placed := w.entry.PlacedMS; placed > 0 {
			m.latency.Observe(max(now.Sub(time.UnixMilli(placed)), 0).Seconds())
		}
	}
}

// Metrics returns the entries that this instance has moved.
func (m *Mover) Metrics() []prometheus.Collector {
	return []prometheus.Collector{m.metrics.moved, m.metrics.latency, m.metrics.renumbered}
}
