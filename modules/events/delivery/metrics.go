package delivery

import (
	"fmt"
	"sync/atomic"
)

// counters count attempts by what became of them.
type counters struct{ delivered, refused, unreachable atomic.Int64 }

func (c *counters) add(o *outcome) {
	c.delivered.Add(int64(o.delivered))
	c.refused.Add(int64(o.attempts - o.delivered - o.unreachable))
	c.unreachable.Add(int64(o.unreachable))
}

// Metrics returns the attempts of this instance in the text format of Prometheus.
func (d *Deliverer) Metrics() string {
	const name = "onrush_event_deliveries_total"
	text := "# HELP " + name + " Requests that sent an event to an endpoint, by their result.\n# TYPE " + name +
		" counter\n"
	for _, r := range []struct {
		result string
		n      *atomic.Int64
	}{{"delivered", &d.counts.delivered}, {"refused", &d.counts.refused}, {"unreachable", &d.counts.unreachable}} {
		text += fmt.Sprintf("%s{result=%q} %d\n", name, r.result, r.n.Load())
	}
	return text
}
