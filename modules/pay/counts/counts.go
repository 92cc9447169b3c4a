// Package counts counts, for the metrics, what an instance hears from payment gateways and sends to them.
package counts

import "github.com/prometheus/client_golang/prometheus"

// Counts are shared by all parts of package pay. A nil *Counts counts nothing.
type Counts struct{ notifications, refunds *prometheus.CounterVec }

// New returns counts of 0.
func New() *Counts {
	return &Counts{
		notifications: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "onrush_payment_notifications_total",
			Help: "Notifications and answers of gateways that this instance processed, by what became of the money.",
		}, []string{"channel", "outcome"}),
		refunds: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "onrush_refund_requests_total",
			Help: "Refunds that this instance sent to gateways or asked them about, by the answer.",
		}, []string{"channel", "outcome"}),
	}
}

// Answer is the answer of a gateway to a refund.
type Answer string

// The answers of gateways to refunds.
const (
	Done        Answer = "done"
	UnderWay    Answer = "under_way"
	Unavailable Answer = "unavailable" // the gateway, or the balance for it
	Refused     Answer = "refused"
)

// Notified counts a notification of a channel that was processed, by what became of its money.
func (c *Counts) Notified(channel, outcome string) {
	if c != nil {
		c.notifications.WithLabelValues(channel, outcome).Inc()
	}
}

// Refunded counts an answer to a refund.
func (c *Counts) Refunded(channel string, answer Answer) {
	if c != nil {
		c.refunds.WithLabelValues(channel, string(answer)).Inc()
	}
}

// Metrics returns the counts.
func (c *Counts) Metrics() []prometheus.Collector {
	return []prometheus.Collector{c.notifications, c.refunds}
}

// Measured is a gateway whose calls are measured; Unwrap returns the gateway.
type Measured interface{ Unwrap() any }

// As returns what a gateway can do beside what all can, also where its calls are measured.
func As[T any](gateway any) (can T, ok bool) {
	if measured, is := gateway.(Measured); is {
		gateway = measured.Unwrap()
	}
	can, ok = gateway.(T)
	return can, ok
}
