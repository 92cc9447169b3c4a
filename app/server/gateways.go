package server

import (
	crand "crypto/rand"
	"errors"
	"net/url"

	"onrush/modules/order"
	"onrush/modules/pay"
)

// stripeSettings are ONRUSH_STRIPE_….
type stripeSettings struct {
	SecretKey      string   `name:"secret-key" help:"Stripe secret key, sk_live_…, sk_test_… or rk_…." env:"SECRET_KEY"`
	PublishableKey string   `name:"publishable-key" help:"Stripe publishable key, pk_live_… or pk_test_…." env:"PUBLISHABLE_KEY"`
	WebhookSecret  string   `name:"webhook-secret" help:"Secret of the Stripe webhook, whsec_…." env:"WEBHOOK_SECRET"`
	Methods        []string `name:"methods" help:"Payment methods that buyers are offered, as Stripe names them. Default: card, with the wallets that use cards." env:"METHODS"`
	BaseURL        string   `name:"base-url" help:"Where the Stripe API is, if not at Stripe." env:"BASE_URL"`
}

// wechatSettings are ONRUSH_WECHAT_….
type wechatSettings struct {
	MchID        string            `name:"mch-id" help:"WeChat Pay merchant number." env:"MCH_ID"`
	AppID        string            `name:"app-id" help:"App bound to the merchant." env:"APP_ID"`
	CertSerial   string            `name:"cert-serial" help:"Serial number of the merchant's API certificate." env:"CERT_SERIAL"`
	PrivateKey   string            `name:"private-key" help:"Merchant's API key: PEM, or the path of a PEM file." env:"PRIVATE_KEY"`
	PlatformKeys map[string]string `name:"platform-keys" help:"serial=certificate or PUB_KEY_ID_…=key, as PEM files, separated by semicolons." mapsep:";" env:"PLATFORM_KEYS"`
	APIv3Key     string            `name:"api-v3-key" help:"API v3 key, 32 characters." env:"API_V3_KEY"`
	Subject      string            `name:"subject" help:"What the buyer reads before the pay number." env:"SUBJECT"`
	BaseURL      string            `name:"base-url" help:"Where the WeChat Pay API is, if not at WeChat." env:"BASE_URL"`
}

// alipaySettings are ONRUSH_ALIPAY_….
type alipaySettings struct {
	AppID      string `name:"app-id" help:"Alipay app id." env:"APP_ID"`
	SellerID   string `name:"seller-id" help:"Seller's id, 2088…." env:"SELLER_ID"`
	PrivateKey string `name:"private-key" help:"App's private key: PEM, base64, or the path of a file." env:"PRIVATE_KEY"`
	AlipayKey  string `name:"alipay-key" help:"Alipay's public key or certificate: PEM, base64, or the path of a file; several, separated by semicolons, while Alipay changes it." env:"ALIPAY_KEY"`
	AppCert    string `name:"app-cert" help:"App's certificate, if the app signs with one: PEM, or the path of a file." env:"APP_CERT"`
	RootCert   string `name:"root-cert" help:"Alipay's root certificates, with the app's certificate: PEM, or the path of a file." env:"ROOT_CERT"`
	ReturnURL  string `name:"return-url" help:"Where the buyer's browser goes after paying." env:"RETURN_URL"`
	Subject    string `name:"subject" help:"What the buyer reads." env:"SUBJECT"`
	BaseURL    string `name:"base-url" help:"Where the Alipay gateway is, if not at Alipay." env:"BASE_URL"`
}

// liveChannels are those that are on and have a gateway outside the program.
func (c *Config) liveChannels() []string {
	var live []string
	for _, channel := range []struct {
		name string
		off  bool
	}{{"stripe", c.stripe().Off()}, {"wechat", c.wechat().Off()}, {"alipay", c.alipay().Off()}} {
		if !channel.off {
			live = append(live, channel.name)
		}
	}
	return live
}

func (c *Config) sandbox() pay.SandboxConfig {
	return pay.SandboxConfig{Secret: c.SandboxSecret, BaseURL: c.publicURL()}
}

func (c *Config) stripe() pay.StripeConfig {
	from := &c.Stripe
	return pay.StripeConfig{
		SecretKey: from.SecretKey, PublishableKey: from.PublishableKey, WebhookSecret: from.WebhookSecret, Methods: from.Methods, BaseURL: from.BaseURL,
	}
}

func (c *Config) wechat() pay.WechatConfig {
	from := &c.Wechat
	return pay.WechatConfig{
		MchID: from.MchID, AppID: from.AppID, CertSerial: from.CertSerial, PrivateKey: from.PrivateKey, PlatformKeys: from.PlatformKeys,
		APIv3Key: from.APIv3Key, NotifyURL: c.webhookURL("wechat"), Subject: from.Subject, BaseURL: from.BaseURL,
	}
}

func (c *Config) alipay() pay.AlipayConfig {
	from := &c.Alipay
	return pay.AlipayConfig{
		AppID: from.AppID, SellerID: from.SellerID, PrivateKey: from.PrivateKey, AlipayKey: from.AlipayKey, AppCert: from.AppCert,
		RootCert: from.RootCert, NotifyURL: c.webhookURL("alipay"), ReturnURL: from.ReturnURL, Subject: from.Subject, BaseURL: from.BaseURL,
	}
}

// webhookURL is where a channel's gateway sends its notifications.
func (c *Config) webhookURL(channel string) string { return c.publicURL() + "/webhooks/pay/" + channel }

// checkWechatURL wants the only kind of address that WeChat Pay calls.
func (c *Config) checkWechatURL() error {
	u, err := url.Parse(c.publicURL())
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.Port() != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("ONRUSH_PUBLIC_URL must be https without a port or a query where WeChat Pay is on, which calls no other address")
	}
	return nil
}

// gateways builds the channels that have their settings and says which are off. A channel with
// half of its settings is an error.
func (s *Server) gateways(base order.Parts) (pay.Gateways, error) {
	gateways := pay.Gateways{}
	sandbox, stripe, wechat, alipay := s.cfg.sandbox(), s.cfg.stripe(), s.cfg.wechat(), s.cfg.alipay()
	for _, channel := range []struct {
		name string
		off  bool
		open func() (pay.Gateway, error)
	}{
		{pay.SandboxChannel, sandbox.Off(), func() (pay.Gateway, error) { return s.openSandbox(sandbox, base) }},
		{"stripe", stripe.Off(), func() (pay.Gateway, error) { return s.openStripe(stripe, base) }},
		{"wechat", wechat.Off(), func() (pay.Gateway, error) { return s.openWechat(wechat, base) }},
		{"alipay", alipay.Off(), func() (pay.Gateway, error) { return pay.NewAlipay(alipay, base.Now) }},
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

// openStripe warns of keys with which no money moves, but on an embedded run.
func (s *Server) openStripe(cfg pay.StripeConfig, base order.Parts) (pay.Gateway, error) {
	gateway, err := pay.NewStripe(cfg, base.Now)
	if err == nil && cfg.Test() && !s.cfg.Embedded() {
		s.parts.Log.Warn("Stripe keys are of test mode: orders are paid and no money moves")
	}
	return gateway, err
}

func (s *Server) openWechat(cfg pay.WechatConfig, base order.Parts) (pay.Gateway, error) {
	if err := s.cfg.checkWechatURL(); err != nil {
		return nil, err
	}
	return pay.NewWechat(cfg, base.Now, crand.Text)
}

func (s *Server) openSandbox(cfg pay.SandboxConfig, base order.Parts) (pay.Gateway, error) {
	sandbox, err := pay.NewSandbox(s.stop, cfg, base)
	if err != nil {
		return nil, err
	}
	sandbox.Register(s.App)
	s.sandbox = sandbox
	return sandbox, nil
}
