package pay

import (
	"maps"
	"slices"
)

// Device is where a buyer pays.
type Device string

// The devices.
const (
	Computer Device = "computer"
	Phone    Device = "phone"
	// App is a page or a mini program in the channel's own app.
	App Device = "app"
)

// Way is how buyers pay through a channel on a device.
type Way struct {
	Device Device `json:"device"`
	// By names the part of the payment's field next that the client uses: redirect_url, or one of the params in it.
	By string `json:"by"`
	// Needs are the fields of the request that this way needs, besides the fields that every payment needs.
	Needs []string `json:"needs,omitempty"`
}

// GatewayWithWays is a gateway on which buyers pay otherwise than by opening redirect_url on any device.
type GatewayWithWays interface {
	Gateway
	// Ways returns the ways to pay, ways for computers first.
	Ways() []Way
}

// ChannelView is a channel that is on.
type ChannelView struct {
	Channel string `json:"channel"`
	Ways    []Way  `json:"ways"`
}

// Channels returns the channels that are on, by name.
func (g Gateways) Channels() []ChannelView {
	on := make([]ChannelView, 0, len(g))
	for _, name := range slices.Sorted(maps.Keys(g)) {
		ways := []Way{{Device: Computer, By: "redirect_url"}, {Device: Phone, By: "redirect_url"}}
		if own, ok := g[name].(GatewayWithWays); ok {
			ways = own.Ways()
		}
		on = append(on, ChannelView{Channel: name, Ways: ways})
	}
	return on
}
