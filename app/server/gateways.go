package server

import (
	crand "crypto/rand"
	"errors"
	"net/url"

	"onrush/modules/pay"
	"onrush/modules/pay/alipay"
	"onrush/modules/pay/sandbox"
	"onrush/modules/pay/stripe"
	"onrush/modules/pay/wechat"
	"onrush/modules/sqldb"
)

// liveChannels returns the channels that are on and whose gateway is outside the program.
func (c *Config) liveChannels() []string {
	var live []string
	for _, channel := range []struct {
		name string
		off  bool
	}{{"stripe", c.Stripe.Off()}, {"wechat", c.Wechat.Off()}, {"alipay", c.Alipay.Off()}} {
		if !channel.off {
			live = append(live, channel.name)
		}
	}
	return live
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

// openStripe warns of keys of test mode, with which no money moves, except on an embedded run.
func (s *Server) openStripe() (pay.Gateway, error) {
	gateway, err := stripe.New(s.cfg.Stripe, s.clock.Now)
	if err == nil && s.cfg.Stripe.Test() && !s.cfg.Embedded() {
		s.parts.Log.Warn("Stripe keys are of test mode: orders are paid and no money moves")
	}
	return gateway, err
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
