package server

import (
	crand "crypto/rand"
	"time"

	"onrush/modules/pay/alipay"
	"onrush/modules/pay/sandbox"
	"onrush/modules/pay/stripe"
	"onrush/modules/pay/wechat"
	"onrush/modules/seckill/admin"
)

// Channel is a payment channel whose settings are set.
type Channel struct {
	Name    string
	Webhook string // the URL that the gateway calls
	Test    bool   // no money moves
	Err     error  // why its settings are invalid; nil if they are valid
}

// Channels returns the channels that are on, without calling a gateway.
func (c *Config) Channels(now func() time.Time) (on []Channel) {
	if c.SandboxSecret != "" {
		on = append(on, Channel{Name: sandbox.Channel, Webhook: c.webhookURL(sandbox.Channel), Test: true})
	}
	for _, is := range c.outsideChannels() {
		channel := Channel{Name: is.name, Webhook: c.webhookURL(is.name), Test: is.test}
		switch is.name {
		case "stripe":
			_, channel.Err = stripe.New(c.Stripe, now)
		case "wechat":
			cfg := c.Wechat
			cfg.NotifyURL = channel.Webhook
			if channel.Err = c.checkWechatURL(); channel.Err == nil {
				_, channel.Err = wechat.New(cfg, now, crand.Text)
			}
		case "alipay":
			cfg := c.Alipay
			cfg.NotifyURL = channel.Webhook
			_, channel.Err = alipay.New(cfg, now)
		}
		on = append(on, channel)
	}
	return on
}

// activityChannels returns the channels that are on, as the checks of a sale see them.
func (c *Config) activityChannels(now func() time.Time) (on []admin.PaymentChannel) {
	for _, channel := range c.Channels(now) {
		on = append(on, admin.PaymentChannel{Name: channel.Name, Test: channel.Test})
	}
	return on
}
