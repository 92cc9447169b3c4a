// Package counts counts, for the metrics, what an instance hears from payment gateways and sends to them.
package counts

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Counts are shared by all parts of package pay. A nil *Counts counts nothing.
type Counts struct {
	notifications, refunds *prometheus.CounterVec
	calls                  *prometheus.HistogramVec
}

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
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "onrush_gateway_call_duration_seconds",
			Help: "Calls of payment gateways, by whether they were answered: yes, no, or resting for calls that were " +
				"not sent since the gateway had answered none for a while.",
			Buckets: []float64{0.1, 0.3, 1, 3, 10},
		}, []string{"channel", "operation", "answered"}),
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
	if path := outcomes[outcome]; path != nil {
		path.Mark()
	}
	if c != nil {
		c.notifications.WithLabelValues(channel, outcome).Inc()
	}
}

// Refunded counts an answer to a refund.
func (c *Counts) Refunded(channel string, answer Answer) {
	if path := answers[answer]; path != nil {
		path.Mark()
	}
	if c != nil {
		c.refunds.WithLabelValues(channel, string(answer)).Inc()
	}
}

// Operation is a call that gateways take.
type Operation string

// The calls of gateways.
const (
	Begin  Operation = "begin"
	Query  Operation = "query"
	Close  Operation = "close"
	Refund Operation = "refund"
)

// Answered says whether a gateway answered a call.
type Answered string

// Whether gateways answer calls.
const (
	Yes     Answered = "yes"
	No      Answered = "no"
	Resting Answered = "resting" // the call was not sent, since the gateway had answered none for a while
)

// Called counts a call of a gateway and how long it took.
func (c *Counts) Called(channel string, op Operation, answered Answered, took time.Duration) {
	if c != nil {
		c.calls.WithLabelValues(channel, string(op), string(answered)).Observe(took.Seconds())
	}
}

// Metrics returns the counts.
func (c *Counts) Metrics() []prometheus.Collector {
	return []prometheus.Collector{c.notifications, c.refunds, c.calls}
}
