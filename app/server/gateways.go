package server

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/alipay"
	"onrush/modules/pay/sandbox"
	"onrush/modules/pay/stripe"
	"onrush/modules/pay/wechat"
)

// outsideChannel is a channel whose gateway is outside the program.
type outsideChannel struct {
	name string
	off  bool
	test bool // its settings are of the gateway's test mode, in which no money moves
	open func(now func() time.Time) (pay.Gateway, error)
}

// outsideChannels returns the channels whose gateway is outside the program.
func (c *Config) outsideChannels() []outsideChannel {
	s, w, a := c.Stripe, c.Wechat, c.Alipay
	s.BaseURL, w.BaseURL, a.BaseURL = c.GatewayURLs["stripe"], c.GatewayURLs["wechat"], c.GatewayURLs["alipay"]
	w.Subject, a.Subject = c.PaySubject, c.PaySubject
	w.NotifyURL, a.NotifyURL = c.webhookURL("wechat"), c.webhookURL("alipay")
	return []outsideChannel{
		{"stripe", s.Off(), s.Test(), func(now func() time.Time) (pay.Gateway, error) { return stripe.New(s, now) }},
		// The API v3 of WeChat Pay has no test mode.
		{"wechat", w.Off(), false, func(now func() time.Time) (pay.Gateway, error) {
			if err := c.checkWechatURL(); err != nil {
				return nil, err
			}
			return wechat.New(w, now, crand.Text)
		}},
		{"alipay", a.Off(), a.Test(), func(now func() time.Time) (pay.Gateway, error) { return alipay.New(a, now) }},
	}
}

// channelsOn returns the channels that are on and whose gateway is outside the program.
func (c *Config) channelsOn() []outsideChannel {
	return slices.DeleteFunc(c.outsideChannels(), func(channel outsideChannel) bool { return channel.off })
}

// checkGatewayURLs refuses addresses of channels that don't exist.
func (c *Config) checkGatewayURLs() error {
	known := c.outsideChannels()
	for name := range c.GatewayURLs {
		if !slices.ContainsFunc(known, func(channel outsideChannel) bool { return channel.name == name }) {
			return fmt.Errorf("ONRUSH_GATEWAY_URLS: %q is not stripe, wechat or alipay", name)
		}
	}
	return nil
}

// checkMoney refuses a channel on which no money moves beside one on which it does: buyers choose the channel, so they
// would choose to pay nothing.
func (c *Config) checkMoney() error {
	var all, live, test []string
	for _, channel := range c.channelsOn() {
		all = append(all, channel.name)
		if channel.test {
			test = append(test, channel.name)
		} else {
			live = append(live, channel.name)
		}
	}
	switch {
	case c.SandboxSecret != "" && len(all) > 0:
		return fmt.Errorf("ONRUSH_SANDBOX_SECRET is set beside %s: the sandbox pays orders without money, so it runs "+
			"beside no other channel", strings.Join(all, ", "))
	case len(live) > 0 && len(test) > 0:
		return fmt.Errorf("%s is of test mode beside the live channel %s: test mode pays orders without money; set "+
			"the live keys (ONRUSH_STRIPE_SECRET_KEY) and address (ONRUSH_GATEWAY_URLS), or turn the channel off",
			strings.Join(test, ", "), strings.Join(live, ", "))
	}
	return nil
}

// webhookURL is where a channel's gateway sends its notifications.
func (c *Config) webhookURL(channel string) string { return c.publicURL() + "/webhooks/pay/" + channel }

// checkWechatURL accepts only the kind of address that WeChat Pay calls.
func (c *Config) checkWechatURL() error {
	u, err := url.Parse(c.publicURL())
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.Port() != "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return errors.New("ONRUSH_PUBLIC_URL must be https without a port or a query where WeChat Pay is on, which " +
			"calls no other address")
	}
	return nil
}

// openGateways opens the channels whose settings are set, and logs which are off. A channel with only some of its
// settings is an error. The sandbox is nil where it is off.
func openGateways(
	stop context.Context, cfg Config, p Parts, c stores,
) (open pay.Gateways, bank *sandbox.Gateway, err error) {
	open = pay.Gateways{}
	if cfg.SandboxSecret != "" {
		settings := sandbox.Config{Secret: cfg.SandboxSecret, BaseURL: cfg.publicURL()}
		deps := sandbox.Deps{DB: c.db, Now: c.clock.Now, NewID: p.NewID, Log: p.Log}
		if bank, err = sandbox.New(stop, settings, deps); err != nil {
			return nil, nil, err
		}
		open[sandbox.Channel] = bank
	}
	for _, channel := range cfg.outsideChannels() {
		if channel.off {
			p.Log.InfoContext(stop, "payment channel is off: it lacks its settings", "channel", channel.name)
			continue
		}
		if channel.test && !cfg.Embedded() {
			p.Log.WarnContext(stop, "payment channel is of test mode: orders are paid and no money moves",
				"channel", channel.name)
		}
		if open[channel.name], err = channel.open(c.clock.Now); err != nil {
			return nil, nil, err
		}
	}
	return open, bank, nil
}
