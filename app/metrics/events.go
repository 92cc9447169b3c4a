package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/events/delivery"
)

var (
	eventLag = prometheus.NewDesc("onrush_event_endpoint_lag", "Events that an endpoint has not got yet, of all types.",
		[]string{"endpoint"}, nil)
	eventFailing = prometheus.NewDesc("onrush_event_endpoint_failing_seconds",
		"For how long an endpoint has failed; 0 if it does not.", []string{"endpoint"}, nil)
	eventDisabled = prometheus.NewDesc("onrush_event_endpoint_disabled",
		"1 if the program disabled an endpoint after failures, else 0.", []string{"endpoint"}, nil)
)

// Events reads how far the endpoints are behind.
func Events(of *delivery.Service) Source {
	return Source{"events", func(ctx context.Context) ([]prometheus.Metric, error) {
		lags, err := of.Lags(ctx)
		if err != nil {
			return nil, err
		}
		var g gauges
		for _, l := range lags {
			g.add(eventLag, float64(l.Events), l.Endpoint)
			g.add(eventFailing, l.Failing.Seconds(), l.Endpoint)
			g.add(eventDisabled, truth(l.Disabled), l.Endpoint)
		}
		return g, nil
	}}
}
