package server

import (
	"context"
	crand "crypto/rand"
	"time"

	"onrush/modules/pay"
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
	// Probe asks the gateway for a payment that doesn't exist: an error says that it can't be reached, or refuses the
	// settings. Nil for the sandbox, and where Err isn't.
	Probe func(ctx context.Context) error
}

// Channels returns the channels that are on, without calling a gateway.
func (c *Config) Channels(now func() time.Time) (on []Channel) {
	if c.SandboxSecret != "" {
		on = append(on, Channel{
			Name: sandbox.Channel, Webhook: c.webhookURL(sandbox.Channel), Test: true,
			Err: sandbox.CheckSecrets(c.sandboxSecrets()),
		})
	}
	for _, is := range c.outsideChannels() {
		channel := Channel{Name: is.name, Webhook: c.webhookURL(is.name), Test: is.test}
		switch is.name {
		case "stripe":
			var g *stripe.Gateway
			if g, channel.Err = stripe.New(c.Stripe, now); channel.Err == nil {
				channel.Probe = g.Probe
			}
		case "wechat":
			cfg := c.Wechat
			cfg.NotifyURL = channel.Webhook
			if channel.Err = c.checkWechatURL(); channel.Err != nil {
				break
			}
			var g *wechat.Gateway
			if g, channel.Err = wechat.New(cfg, now, crand.Text); channel.Err == nil {
				channel.Probe = probe(g)
			}
		case "alipay":
			cfg := c.Alipay
			cfg.NotifyURL = channel.Webhook
			var g *alipay.Gateway
			if g, channel.Err = alipay.New(cfg, now); channel.Err == nil {
				channel.Probe = probe(g)
			}
		}
		on = append(on, channel)
	}
	return on
}

// noPayment is a number that no payment has: it would belong to an order of the first second, in an unused lane.
const noPayment = 1<<32 - 1

// probe returns a question for a payment that doesn't exist.
func probe(g pay.Gateway) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		_, err := g.Query(ctx, &pay.Payment{Number: noPayment})
		return err
	}
}

// activityChannels returns the channels that are on, as the checks of a sale see them.
func (c *Config) activityChannels(now func() time.Time) (on []admin.PaymentChannel) {
	for _, channel := range c.Channels(now) {
		on = append(on, admin.PaymentChannel{Name: channel.Name, Test: channel.Test})
	}
	return on
}
