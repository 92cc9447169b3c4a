package pay

import (
	"cmp"
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// AlipayConfig turns the channel alipay on: pages on computers and phones, for a merchant of the
// Mainland, with RSA2, over bare keys or certificates as the app is set up at Alipay.
type AlipayConfig struct {
	// AppID is the app's number, SellerID the account (2088…) that gets the money.
	AppID, SellerID string
	// PrivateKey is the app's key: PEM, the bare base64 that Alipay's own tool writes, or the path
	// of a file with either.
	PrivateKey string
	// AlipayKey is Alipay's public key (not the app's), in the same forms, or Alipay's certificate.
	// Several, separated by semicolons or as PEM blocks of one file, are all believed while Alipay
	// changes from one to another.
	AlipayKey string
	// AppCert is the app's certificate and RootCert are Alipay's root certificates, as PEM or as the
	// paths of PEM files; both, or none for an app that is set up with a bare key.
	AppCert, RootCert string
	// NotifyURL is our /webhooks/pay/alipay as Alipay reaches it, without a query.
	NotifyURL string
	// ReturnURL is the shop's page to which the buyer comes back. Optional.
	ReturnURL string
	// Subject is what the buyer reads before the pay number. Default "Order".
	Subject string
	// BaseURL is where the gateway is. Default https://openapi.alipay.com/gateway.do.
	BaseURL string
}

// Off says that nothing is set, so that there is no such channel.
func (c AlipayConfig) Off() bool {
	return c.AppID == "" && c.SellerID == "" && c.PrivateKey == "" && c.AlipayKey == "" && c.AppCert == "" && c.RootCert == ""
}

// Alipay takes money on Alipay's own page, to which the client goes.
type Alipay struct {
	cfg    AlipayConfig
	key    *rsa.PrivateKey
	theirs []*rsa.PublicKey // Alipay's, of which each is believed
	certs  certNames
	client *http.Client
	now    func() time.Time
}

var _ Gateway = (*Alipay)(nil)

// NewAlipay makes the channel and reads its keys.
func NewAlipay(cfg AlipayConfig, now func() time.Time) (*Alipay, error) {
	cfg.BaseURL = cmp.Or(cfg.BaseURL, "https://openapi.alipay.com/gateway.do")
	cfg.Subject = cmp.Or(cfg.Subject, "Order")
	err := missing("alipay", setting{"app", cfg.AppID}, setting{"seller", cfg.SellerID}, setting{"private key", cfg.PrivateKey},
		setting{"Alipay's key", cfg.AlipayKey}, setting{"notify URL", cfg.NotifyURL})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkBaseURL("alipay config: base URL", cfg.BaseURL), checkNotifyURL("alipay config: notify URL", cfg.NotifyURL)); err != nil {
		return nil, err
	}
	if strings.ContainsAny(cfg.Subject, "/=&") {
		return nil, errors.New("alipay config: subject must be without / = &")
	}
	a := &Alipay{cfg: cfg, client: newGatewayClient(), now: now}
	if a.key, err = readPrivateKey(cfg.PrivateKey); err != nil {
		return nil, fmt.Errorf("alipay config: private key %w", err)
	}
	if a.certs, err = readCertNames(cfg.AppCert, cfg.RootCert, a.key); err != nil {
		return nil, err
	}
	return a, a.readTheirs()
}

// Channel is alipay.
func (a *Alipay) Channel() string { return "alipay" }

// Acknowledge is Alipay's success answer.
func (a *Alipay) Acknowledge() (contentType string, body []byte) {
	return "text/plain", []byte("success")
}

// alipayTime is how Alipay writes times, in chinaTime.
const alipayTime = time.DateTime

// Begin signs the addresses of Alipay's pages: redirect_url for computers, wap_url among the
// parameters for phones. Alipay hears of the payment when the buyer comes there; time_expire ends
// that when its time is over, since a payment that it doesn't know can't be closed.
func (a *Alipay) Begin(_ context.Context, p *Payment) (Next, error) {
	if err := checkYuan(p, a.now()); err != nil {
		return Next{}, err
	}
	page, err := a.page("alipay.trade.page.pay", "FAST_INSTANT_TRADE_PAY", p)
	if err != nil {
		return Next{}, err
	}
	wap, err := a.page("alipay.trade.wap.pay", "QUICK_WAP_WAY", p)
	if err != nil {
		return Next{}, err
	}
	return Next{RedirectURL: page, Params: map[string]string{"wap_url": wap}}, nil
}

func (a *Alipay) page(method, product string, p *Payment) (string, error) {
	form, err := a.request(method, map[string]string{
		"out_trade_no": p.Number.String(), "total_amount": yuanText(p.Amount), "subject": a.cfg.Subject + " " + p.Number.String(),
		"product_code": product, "time_expire": time.UnixMilli(p.ExpiresMS).In(chinaTime).Format(alipayTime),
	}, map[string]string{"notify_url": a.cfg.NotifyURL, "return_url": a.cfg.ReturnURL})
	if err != nil {
		return "", err
	}
	return a.cfg.BaseURL + "?" + form.Encode(), nil
}

// request makes a signed request; what is empty is left out, as the signature asks.
func (a *Alipay) request(method string, biz any, more map[string]string) (url.Values, error) {
	content, err := json.Marshal(biz)
	if err != nil {
		return nil, fmt.Errorf("alipay: %w", err)
	}
	form := url.Values{
		"app_id": {a.cfg.AppID}, "method": {method}, "format": {"JSON"}, "charset": {"utf-8"}, "sign_type": {"RSA2"},
		"timestamp": {a.now().In(chinaTime).Format(alipayTime)}, "version": {"1.0"}, "biz_content": {string(content)},
	}
	certs := map[string]string{"app_cert_sn": a.certs.app, "alipay_root_cert_sn": a.certs.root}
	for _, some := range []map[string]string{more, certs} {
		for name, value := range some {
			if value != "" {
				form.Set(name, value)
			}
		}
	}
	signature, err := signRSA(a.key, signedText(form, "sign"))
	if err != nil {
		return nil, fmt.Errorf("alipay: %w", err)
	}
	form.Set("sign", signature)
	return form, nil
}
