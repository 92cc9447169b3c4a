package server

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/alipay"
	"onrush/modules/pay/hosted"
	"onrush/modules/pay/remote"
	"onrush/modules/pay/sandbox"
	"onrush/modules/pay/stripe"
	"onrush/modules/pay/wechat"
)

// outsideChannel is a channel whose gateway is outside the program.
type outsideChannel struct {
	name string
	off  bool
	test bool // its settings are of the gateway's test mode, in which no money moves
	open func(now func() time.Time, log *slog.Logger) (pay.Gateway, error)
}

// outsideChannels returns the channels whose gateway is outside the program.
func (c *Config) outsideChannels() []outsideChannel {
	s, w, a := c.Stripe, c.Wechat, c.Alipay
	s.BaseURL, w.BaseURL, a.BaseURL = c.Gateways["stripe"], c.Gateways["wechat"], c.Gateways["alipay"]
	w.Subject, a.Subject = c.PaySubject, c.PaySubject
	w.NotifyURL, a.NotifyURL = c.webhookURL("wechat"), c.webhookURL("alipay")
	all := []outsideChannel{
		{"stripe", s.Off(), s.Test(), func(now func() time.Time, _ *slog.Logger) (pay.Gateway, error) {
			return stripe.New(s, now)
		}},
		// The API v3 of WeChat Pay has no test mode.
		{"wechat", w.Off(), false, func(now func() time.Time, _ *slog.Logger) (pay.Gateway, error) {
			if err := c.checkWechatURL(); err != nil {
				return nil, err
			}
			return wechat.New(w, now, crand.Text)
		}},
		{"alipay", a.Off(), a.Test(), func(now func() time.Time, _ *slog.Logger) (pay.Gateway, error) {
			return alipay.New(a, now)
		}},
	}
	return slices.Concat(all, c.remoteChannels(), c.hostedChannels())
}

// HostedGateway is a gateway of the program that this one is a module of.
type HostedGateway struct {
	Name    string
	Test    bool // no money moves
	Gateway hosted.Gateway
}

// hostedChannels returns the channels of Hosted.
func (c *Config) hostedChannels() (all []outsideChannel) {
	for _, h := range c.Hosted {
		all = append(all, outsideChannel{name: h.Name, test: h.Test, open: c.opener(h.Name,
			func(func() time.Time) (hosted.Gateway, error) { return h.Gateway, nil })})
	}
	return all
}

// remoteChannels returns the channels of the gateways that shops write.
func (c *Config) remoteChannels() (all []outsideChannel) {
	for _, name := range slices.Sorted(maps.Keys(c.Gateways)) {
		if slices.Contains(knownGateways, name) {
			continue
		}
		settings, err := remote.Parse(name, c.Gateways[name])
		all = append(all, outsideChannel{name: name, test: settings.Test, open: c.opener(name,
			func(now func() time.Time) (hosted.Gateway, error) {
				if err != nil {
					return nil, err
				}
				return remote.New(name, settings, now)
			})})
	}
	return all
}

// opener returns what opens the channel of a gateway that somebody else wrote.
func (c *Config) opener(
	name string, open func(now func() time.Time) (hosted.Gateway, error),
) func(now func() time.Time, log *slog.Logger) (pay.Gateway, error) {
	return func(now func() time.Time, log *slog.Logger) (pay.Gateway, error) {
		if err := hosted.CheckName(name); err != nil {
			return nil, err
		}
		g, err := open(now)
		if err != nil {
			return nil, err
		}
		return hosted.New(name, g, hosted.Deps{Now: now, Log: log, NotifyURL: c.webhookURL(name)}), nil
	}
}

// channelsOn returns the channels that are on and whose gateway is outside the program.
func (c *Config) channelsOn() []outsideChannel {
	return slices.DeleteFunc(c.outsideChannels(), func(channel outsideChannel) bool { return channel.off })
}

// knownGateways are those whose protocol the program knows, so that Gateways has nothing but their address.
var knownGateways = []string{"stripe", "wechat", "alipay"}

// checkGateways refuses gateways that can't be channels.
func (c *Config) checkGateways() error {
	names := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(c.Gateways)) {
		if slices.Contains(knownGateways, name) {
			continue
		}
		names[name] = true
		_, err := remote.Parse(name, c.Gateways[name])
		if err := cmp.Or(hosted.CheckName(name), err); err != nil {
			return fmt.Errorf("ONRUSH_GATEWAYS: %w", err)
		}
	}
	for _, h := range c.Hosted {
		if err := hosted.CheckName(h.Name); err != nil {
			return err
		}
		if names[h.Name] {
			return fmt.Errorf("gateway %q: there are two of this name", h.Name)
		}
		names[h.Name] = true
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
			"the live keys (ONRUSH_STRIPE_SECRET_KEY) and address (ONRUSH_GATEWAYS), or turn the channel off",
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
		if open[channel.name], err = channel.open(c.clock.Now, p.Log); err != nil {
			return nil, nil, err
		}
	}
	return open, bank, nil
}
