package server

import (
	crand "crypto/rand"

	"onrush/modules/order"
	"onrush/modules/pay"
)

// stripeSettings are ONRUSH_STRIPE_….
type stripeSettings struct {
	SecretKey      string `name:"secret-key" help:"Stripe secret key, sk_…." env:"SECRET_KEY"`
	PublishableKey string `name:"publishable-key" help:"Stripe publishable key, pk_…." env:"PUBLISHABLE_KEY"`
	WebhookSecret  string `name:"webhook-secret" help:"Secret of the Stripe webhook, whsec_…." env:"WEBHOOK_SECRET"`
	BaseURL        string `name:"base-url" help:"Where the Stripe API is, if not at Stripe." env:"BASE_URL"`
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
	AlipayKey  string `name:"alipay-key" help:"Alipay's public key or certificate: PEM, base64, or the path of a file." env:"ALIPAY_KEY"`
	AppCert    string `name:"app-cert" help:"App's certificate, if the app signs with one: PEM, or the path of a file." env:"APP_CERT"`
	RootCert   string `name:"root-cert" help:"Alipay's root certificates, with the app's certificate: PEM, or the path of a file." env:"ROOT_CERT"`
	ReturnURL  string `name:"return-url" help:"Where the buyer's browser goes after paying." env:"RETURN_URL"`
	Subject    string `name:"subject" help:"What the buyer reads." env:"SUBJECT"`
	BaseURL    string `name:"base-url" help:"Where the Alipay gateway is, if not at Alipay." env:"BASE_URL"`
}

// gateways builds the channels that have their settings and says which are off. A channel with
// half of its settings is an error.
func (s *Server) gateways(base order.Parts) (pay.Gateways, error) {
	cfg, gateways := s.cfg, pay.Gateways{}
	hook := func(channel string) string { return cfg.publicURL() + "/webhooks/pay/" + channel }
	sandbox := pay.SandboxConfig{Secret: cfg.SandboxSecret, BaseURL: cfg.publicURL()}
	stripe := pay.StripeConfig{
		SecretKey: cfg.Stripe.SecretKey, PublishableKey: cfg.Stripe.PublishableKey, WebhookSecret: cfg.Stripe.WebhookSecret, BaseURL: cfg.Stripe.BaseURL,
	}
	wechat := pay.WechatConfig{
		MchID: cfg.Wechat.MchID, AppID: cfg.Wechat.AppID, CertSerial: cfg.Wechat.CertSerial, PrivateKey: cfg.Wechat.PrivateKey,
		PlatformKeys: cfg.Wechat.PlatformKeys, APIv3Key: cfg.Wechat.APIv3Key, NotifyURL: hook("wechat"), Subject: cfg.Wechat.Subject, BaseURL: cfg.Wechat.BaseURL,
	}
	alipay := pay.AlipayConfig{
		AppID: cfg.Alipay.AppID, SellerID: cfg.Alipay.SellerID, PrivateKey: cfg.Alipay.PrivateKey, AlipayKey: cfg.Alipay.AlipayKey,
		AppCert: cfg.Alipay.AppCert, RootCert: cfg.Alipay.RootCert, NotifyURL: hook("alipay"), ReturnURL: cfg.Alipay.ReturnURL, Subject: cfg.Alipay.Subject, BaseURL: cfg.Alipay.BaseURL,
	}
	for _, channel := range []struct {
		name string
		off  bool
		open func() (pay.Gateway, error)
	}{
		{pay.SandboxChannel, sandbox.Off(), func() (pay.Gateway, error) { return s.openSandbox(sandbox, base) }},
		{"stripe", stripe.Off(), func() (pay.Gateway, error) { return pay.NewStripe(stripe, base.Now) }},
		{"wechat", wechat.Off(), func() (pay.Gateway, error) { return pay.NewWechat(wechat, base.Now, crand.Text) }},
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

func (s *Server) openSandbox(cfg pay.SandboxConfig, base order.Parts) (pay.Gateway, error) {
	sandbox, err := pay.NewSandbox(s.stop, cfg, base)
	if err != nil {
		return nil, err
	}
	sandbox.Register(s.App)
	s.sandbox = sandbox
	return sandbox, nil
}
