package server

import (
	crand "crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"onrush/modules/pay"
	"onrush/modules/pay/alipay"
	"onrush/modules/pay/sandbox"
	"onrush/modules/pay/stripe"
	"onrush/modules/pay/wechat"
	"onrush/modules/sqldb"
)

// outsideChannel is a channel whose gateway is outside the program.
type outsideChannel struct {
	name string
	off  bool
	test bool // its settings are of the gateway's test mode, in which no money moves
}

// outsideChannels returns the channels that are on and whose gateway is outside the program.
func (c *Config) outsideChannels() []outsideChannel {
	return slices.DeleteFunc([]outsideChannel{
		{"stripe", c.Stripe.Off(), c.Stripe.Test()},
		{"wechat", c.Wechat.Off(), false}, // its API v3 has no test mode
		{"alipay", c.Alipay.Off(), c.Alipay.Test()},
	}, func(channel outsideChannel) bool { return channel.off })
}

// checkMoney refuses a channel on which no money moves beside one on which it does: buyers choose the channel, so they
// would choose to pay nothing.
func (c *Config) checkMoney() error {
	var all, live, test []string
	for _, channel := range c.outsideChannels() {
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
			"the live keys (ONRUSH_STRIPE_SECRET_KEY) and address (ONRUSH_ALIPAY_BASE_URL), or turn the channel off",
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

// gateways opens the channels whose settings are set, and logs which are off. A channel with only some of its
// settings is an error.
func (s *Server) gateways(db *sqldb.DB) (pay.Gateways, error) {
	gateways := pay.Gateways{}
	for _, channel := range []struct {
		name string
		off  bool
		open func() (pay.Gateway, error)
	}{
		{sandbox.Channel, s.cfg.SandboxSecret == "", func() (pay.Gateway, error) { return s.openSandbox(db) }},
		{"stripe", s.cfg.Stripe.Off(), s.openStripe},
		{"wechat", s.cfg.Wechat.Off(), s.openWechat},
		{"alipay", s.cfg.Alipay.Off(), s.openAlipay},
	} {
		if channel.off {
			s.parts.Log.Info("payment channel is off: it lacks its settings", "channel", channel.name)
			continue
		}
		gateway, err := channel.open()
		if err != nil {
			return nil, err
		}
		gateways[channel.name] = gateway
	}
	return gateways, nil
}

func (s *Server) openStripe() (pay.Gateway, error) {
	s.warnOfTest("stripe", s.cfg.Stripe.Test())
	return stripe.New(s.cfg.Stripe, s.clock.Now)
}

// warnOfTest warns of a channel of test mode, except on an embedded run.
func (s *Server) warnOfTest(channel string, test bool) {
	if test && !s.cfg.Embedded() {
		s.parts.Log.Warn("payment channel is of test mode: orders are paid and no money moves", "channel", channel)
	}
}

func (s *Server) openWechat() (pay.Gateway, error) {
	if err := s.cfg.checkWechatURL(); err != nil {
		return nil, err
	}
	cfg := s.cfg.Wechat
	cfg.NotifyURL = s.cfg.webhookURL("wechat")
	return wechat.New(cfg, s.clock.Now, crand.Text)
}

func (s *Server) openAlipay() (pay.Gateway, error) {
	s.warnOfTest("alipay", s.cfg.Alipay.Test())
	cfg := s.cfg.Alipay
	cfg.NotifyURL = s.cfg.webhookURL("alipay")
	return alipay.New(cfg, s.clock.Now)
}

func (s *Server) openSandbox(db *sqldb.DB) (pay.Gateway, error) {
	cfg := sandbox.Config{Secret: s.cfg.SandboxSecret, BaseURL: s.cfg.publicURL()}
	gateway, err := sandbox.New(s.stop, cfg, sandbox.Deps{
		DB: db, Now: s.clock.Now, NewID: s.parts.NewID, Log: s.parts.Log,
	})
	if err != nil {
		return nil, err
	}
	gateway.Register(s.App)
	s.sandbox = gateway
	return gateway, nil
}
