package channels_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/pay/channels"
)

func TestTheHeadersTellWhereABuyerPays(t *testing.T) {
	t.Parallel()
	const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
	for _, c := range []struct {
		name, userAgent, mobile string
		want                    channels.Client
	}{
		{"no header", "", "", channels.Client{Device: channels.Computer}},
		{
			"a computer", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36", "?0",
			channels.Client{Device: channels.Computer},
		},
		{"an iPhone", iPhone + "Version/18.1 Mobile/15E148 Safari/604.1", "", channels.Client{Device: channels.Phone}},
		{"a tablet", "Mozilla/5.0 (Linux; Android 14) Chrome/131.0.0.0", "?0", channels.Client{Device: channels.Phone}},
		{"a hint alone", "own/1.0", "?1", channels.Client{Device: channels.Phone}},
		{"WeChat", iPhone + "MicroMessenger/8.0.50", "", channels.Client{Device: channels.Phone, App: "wechat"}},
		{"WeChat on a computer", "MicroMessenger/3.9", "", channels.Client{Device: channels.Computer, App: "wechat"}},
		{"Alipay", iPhone + "AlipayClient/10.6", "", channels.Client{Device: channels.Phone, App: "alipay"}},
	} {
		assert.Equal(t, c.want, channels.ClientOf(c.userAgent, c.mobile), c.name)
	}
}

func TestAClientHasTheWaysOfItsDeviceAndOfTheAppItIsIn(t *testing.T) {
	t.Parallel()
	code := channels.Way{Device: channels.Computer, By: "code_url"}
	page := channels.Way{Device: channels.Phone, By: "wap_url"}
	app := channels.Way{Device: channels.App, By: "package", Needs: []string{"openid"}}
	all := []channels.View{
		{Channel: "alipay", Ways: []channels.Way{page}}, {Channel: "wechat", Ways: []channels.Way{code, app}},
	}
	view := func(channel string, way channels.Way) channels.View {
		return channels.View{Channel: channel, Ways: []channels.Way{way}}
	}
	for _, c := range []struct {
		client channels.Client
		want   []channels.View
	}{
		{channels.Client{Device: channels.Computer}, []channels.View{view("wechat", code)}},
		{channels.Client{Device: channels.Phone}, []channels.View{view("alipay", page)}},
		{channels.Client{Device: channels.App}, []channels.View{view("wechat", app)}},
		{
			channels.Client{Device: channels.Phone, App: "wechat"},
			[]channels.View{view("alipay", page), view("wechat", app)},
		},
		{channels.Client{Device: channels.Phone, App: "alipay"}, []channels.View{view("alipay", page)}},
	} {
		assert.Equal(t, c.want, channels.For(all, c.client), "%+v", c.client)
	}
	assert.Equal(t, []channels.View{}, channels.For(all[:1], channels.Client{Device: channels.Computer}))
}
