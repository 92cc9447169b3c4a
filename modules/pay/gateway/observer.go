package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/pay"
)

// Observer measures the calls of gateways.
type Observer struct {
	now  func() time.Time
	took *prometheus.HistogramVec
}

// NewObserver returns an Observer that has seen no call.
func NewObserver(now func() time.Time) *Observer {
	return &Observer{now: now, took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "onrush_gateway_call_duration_seconds",
		Help: "Calls of payment gateways, by whether they were answered: yes, no, or resting for calls that were not " +
			"sent since the gateway had answered none for a while.",
		Buckets: []float64{0.1, 0.3, 1, 3, 10},
	}, []string{"channel", "operation", "answered"})}
}

// Metrics returns what was measured.
func (o *Observer) Metrics() []prometheus.Collector { return []prometheus.Collector{o.took} }

// Observe returns a gateway whose calls are measured.
func (o *Observer) Observe(g pay.Gateway) pay.Gateway { return observed{g, o} }

// observed is a gateway whose calls are measured.
type observed struct {
	pay.Gateway

	by *Observer
}

func (g observed) Begin(ctx context.Context, p *pay.Payment) (next pay.Next, err error) {
	defer g.end("begin", g.by.now(), &err)
	return g.Gateway.Begin(ctx, p)
}

func (g observed) Query(ctx context.Context, p *pay.Payment) (found pay.Found, err error) {
	defer g.end("query", g.by.now(), &err)
	return g.Gateway.Query(ctx, p)
}

func (g observed) Close(ctx context.Context, p *pay.Payment) (err error) {
	defer g.end("close", g.by.now(), &err)
	return g.Gateway.Close(ctx, p)
}

func (g observed) Refund(ctx context.Context, r *pay.Refund) (err error) {
	defer g.end("refund", g.by.now(), &err)
	return g.Gateway.Refund(ctx, r)
}

// end measures a call that began at a time.
func (g observed) end(operation string, began time.Time, err *error) {
	answered := "yes"
	switch {
	case errors.Is(*err, pay.ErrResting):
		answered = "resting"
	case errors.Is(*err, pay.ErrUnavailable):
		answered = "no"
	}
	g.by.took.WithLabelValues(g.Channel(), operation, answered).Observe(g.by.now().Sub(began).Seconds())
}

// Unwrap returns the gateway, which can do more than all can.
func (g observed) Unwrap() any { return g.Gateway }

// CloseIdleConnections lets a gateway that keeps connections close them.
func (g observed) CloseIdleConnections() {
	if keeps, ok := g.Gateway.(interface{ CloseIdleConnections() }); ok {
		keeps.CloseIdleConnections()
	}
}
