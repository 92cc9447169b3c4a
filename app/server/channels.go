package server

import (
	"context"
	"log/slog"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/sandbox"
	"onrush/modules/pay/stripe"
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
			Err: sandbox.CheckSecret(c.SandboxSecret),
		})
	}
	for _, is := range c.channelsOn() {
		channel := Channel{Name: is.name, Webhook: c.webhookURL(is.name), Test: is.test}
		var g pay.Gateway
		if g, channel.Err = is.open(now, slog.New(slog.DiscardHandler)); channel.Err == nil {
			channel.Probe = probe(g)
		}
		on = append(on, channel)
	}
	return on
}

// noPayment is a number that no payment has: it would belong to an order of the first second, in an unused lane.
const noPayment = 1<<32 - 1

// probe returns a question for a payment that doesn't exist.
func probe(g pay.Gateway) func(ctx context.Context) error {
	if g, ok := g.(*stripe.Gateway); ok {
		return g.Probe
	}
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
