package metrics

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

var (
	gatewayResting = prometheus.NewDesc("onrush_gateway_resting",
		"1 while this instance calls a gateway only once in five seconds, since it answered none of the last eight.",
		[]string{"channel"}, nil)
	gatewayCalls = prometheus.NewDesc("onrush_gateway_calls", "Calls of a gateway that are under way, of at most 64.",
		[]string{"channel"}, nil)
)

// Gateways reports which gateways answer no calls, and the calls that are under way.
func Gateways(all pay.Gateways) prometheus.Collector {
	return collect(func(g *gauges) {
		for _, channel := range slices.Sorted(maps.Keys(all)) {
			if called, ok := all[channel].(gateway.Called); ok {
				resting, calls := called.Calls()
				g.add(gatewayResting, truth(resting), channel)
				g.add(gatewayCalls, float64(calls), channel)
			}
		}
	})
}
