package pay

import (
	"maps"
	"slices"

	"onrush/modules/pay/channels"
)

// GatewayWithWays is a gateway on which buyers pay otherwise than by opening redirect_url on any device.
type GatewayWithWays interface {
	Gateway
	// Ways returns the ways to pay, ways for computers first.
	Ways() []channels.Way
}

// Channels returns the channels that are on, by name.
func (g Gateways) Channels() []channels.View {
	on := make([]channels.View, 0, len(g))
	for _, name := range slices.Sorted(maps.Keys(g)) {
		ways := channels.Anywhere()
		if own, ok := g[name].(GatewayWithWays); ok {
			ways = own.Ways()
		}
		on = append(on, channels.View{Channel: name, Ways: ways})
	}
	return on
}
