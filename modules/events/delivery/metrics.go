package delivery

import "github.com/prometheus/client_golang/prometheus"

// counters count attempts by what became of them.
type counters struct {
	attempts                        *prometheus.CounterVec
	delivered, refused, unreachable prometheus.Counter
}

func newCounters() counters {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "onrush_event_deliveries_total", Help: "Requests that sent an event to an endpoint, by their result.",
	}, []string{"result"})
	return counters{
		attempts: attempts, delivered: attempts.WithLabelValues("delivered"),
		refused: attempts.WithLabelValues("refused"), unreachable: attempts.WithLabelValues("unreachable"),
	}
}

func (c *counters) add(o *outcome) {
	c.delivered.Add(float64(o.delivered))
	c.refused.Add(float64(o.attempts - o.delivered - o.unreachable))
	c.unreachable.Add(float64(o.unreachable))
}

// Metrics returns the attempts of this instance.
func (d *Deliverer) Metrics() prometheus.Collector { return d.counts.attempts }
