package channels

import (
	"slices"
	"strings"
)

// Client is where a buyer pays: a device, and the channel in whose app the page or the mini program is; "" in none.
type Client struct {
	Device Device // Computer or Phone; App for a page in the app of any channel
	App    string
}

// apps have a part of the header User-Agent that the browser in the app of a channel sends.
var apps = []struct{ channel, part string }{
	{"wechat", "MicroMessenger/"}, {"alipay", "AlipayClient/"},
}

// ClientOf tells where a buyer pays from the headers User-Agent and Sec-CH-UA-Mobile. They decide nothing but which
// ways a page shows: a buyer may send any.
func ClientOf(userAgent, mobile string) Client {
	client := Client{Device: Computer}
	for _, app := range apps {
		if strings.Contains(userAgent, app.part) {
			client.App = app.channel
		}
	}
	onPhone := func(part string) bool { return strings.Contains(userAgent, part) }
	if mobile == "?1" || slices.ContainsFunc([]string{"Mobile", "Android", "iPhone", "iPad"}, onPhone) {
		client.Device = Phone
	}
	return client
}

// For returns the channels with the ways that a client has. Channels without such a way are left out. In the app of a
// channel, the channel has its ways for the app, or else those for the device.
func For(all []View, client Client) []View {
	found := []View{}
	for _, v := range all {
		ways := v.on(client.Device)
		if v.Channel == client.App {
			if own := v.on(App); len(own) > 0 {
				ways = own
			}
		}
		if len(ways) > 0 {
			found = append(found, View{Channel: v.Channel, Ways: ways})
		}
	}
	return found
}

// on returns the ways of a channel on a device.
func (v *View) on(d Device) (ways []Way) {
	for _, w := range v.Ways {
		if w.Device == d {
			ways = append(ways, w)
		}
	}
	return ways
}
