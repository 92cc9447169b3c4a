package alipay

import (
	"net/url"
	"strings"
)

// Config configures the channel alipay: pages for computers and phones, for a merchant in mainland China,
// signed with RSA2, with bare keys or certificates as the app is set up at Alipay.
type Config struct {
	// AppID is the app's number.
	AppID string `help:"Alipay app id." env:"APP_ID"`
	// SellerID is the account (2088…) that gets the money.
	SellerID string `help:"Seller's id, 2088…." env:"SELLER_ID"`
	// PrivateKey is the app's key: PEM, the bare base64 that Alipay's own tool writes, or the path
	// of a file with either.
	PrivateKey string `help:"App's private key: PEM, base64, or the path of a file." env:"PRIVATE_KEY" lines:""`
	// AlipayKey is Alipay's public key (not the app's), in the same forms, or Alipay's certificate.
	// Several, separated by semicolons or as PEM blocks of one file, are all accepted while Alipay
	// changes its key.
	AlipayKey string `help:"Alipay's public keys or certificates, separated by semicolons." env:"ALIPAY_KEY" lines:""`
	// AppCert is the app's certificate, as PEM or as the path of a PEM file. It is set together with
	// RootCert; an app that is set up with a bare key has neither.
	AppCert string `help:"App's certificate, if it has one: PEM, or the path of a file." env:"APP_CERT" lines:""`
	// RootCert are Alipay's root certificates, as PEM or as the path of a PEM file.
	RootCert string `help:"Alipay's root certificates: PEM, or the path of a file." env:"ROOT_CERT" lines:""`
	// NotifyURL is our /webhooks/pay/alipay as Alipay reaches it, without a query.
	NotifyURL string `kong:"-"`
	// ReturnURL is the shop's page to which the buyer comes back, unless the payment names one. Optional.
	ReturnURL string `help:"Where the buyer's browser goes after paying." env:"RETURN_URL"`
	// Subject is what the buyer reads before the names of the goods. Default: nothing.
	Subject string `kong:"-"`
	// BaseURL is the address of the gateway. Default https://openapi.alipay.com/gateway.do. The sandbox's address is
	// for tests: no channel may be live beside it.
	BaseURL string `kong:"-"`
}

// Off reports whether nothing is set, so that the channel is off.
func (c Config) Off() bool {
	return c.AppID == "" && c.SellerID == "" && c.PrivateKey == "" && c.AlipayKey == "" && c.AppCert == "" &&
		c.RootCert == ""
}

// sandboxDomain is the domain of Alipay's sandboxes, in which no money moves: openapi-sandbox.dl.alipaydev.com, and
// before it openapi.alipaydev.com.
const sandboxDomain = ".alipaydev.com"

// Test reports whether the address belongs to Alipay's sandbox, in which no money moves.
func (c Config) Test() bool {
	u, err := url.Parse(c.BaseURL)
	host := ""
	if err == nil {
		host = strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	}
	return strings.HasSuffix("."+host, sandboxDomain)
}
