package pay

import (
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
	theirs *rsa.PublicKey
	certs  certNames
	client *http.Client
	now    func() time.Time
}

var _ Gateway = (*Alipay)(nil)

// NewAlipay makes the channel and reads its keys.
func NewAlipay(cfg AlipayConfig, now func() time.Time) (*Alipay, error) {
	setDefault(&cfg.BaseURL, "https://openapi.alipay.com/gateway.do")
	setDefault(&cfg.Subject, "Order")
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
	if a.theirs, _, err = readPublicKey(cfg.AlipayKey); err != nil {
		return nil, fmt.Errorf("alipay config: Alipay's key %w", err)
	}
	if a.theirs.Equal(&a.key.PublicKey) {
		return nil, errors.New("alipay config: Alipay's key is the app's own")
	}
	return a, nil
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

// Query asks by the pay number.
func (a *Alipay) Query(ctx context.Context, p *Payment) (Found, error) {
	var t struct {
		Number      string `json:"out_trade_no"`
		Transaction string `json:"trade_no"`
		State       string `json:"trade_status"`
		Amount      string `json:"total_amount"`
	}
	err := a.call(ctx, "alipay.trade.query", map[string]string{"out_trade_no": p.Number.String()}, &t)
	switch {
	case alipaySays(err, "ACQ.TRADE_NOT_EXIST"):
		return Found{}, nil // the buyer never came to Alipay's page
	case err != nil:
		return Found{}, err
	case t.Number != p.Number.String():
		return Found{}, errors.New("alipay: query: the answer is of another payment")
	case t.State != alipayPaid && t.State != alipayFinished:
		return Found{}, nil
	}
	amount, err := parseYuan(t.Amount)
	if err != nil || t.Transaction == "" {
		return Found{}, errors.New("alipay: query: the answer lacks the trade's number or amount")
	}
	return Found{Paid: true, TransactionID: t.Transaction, Amount: amount, Currency: yuan}, nil
}

// The states of a trade that mean money; a finished one can't be refunded any more.
const (
	alipayPaid     = "TRADE_SUCCESS"
	alipayFinished = "TRADE_FINISHED"
)

// Close ends a trade. One that Alipay doesn't know can't begin any more, since its time is over.
func (a *Alipay) Close(ctx context.Context, p *Payment) error {
	err := a.call(ctx, "alipay.trade.close", map[string]string{"out_trade_no": p.Number.String()}, nil)
	switch {
	case alipaySays(err, "ACQ.TRADE_NOT_EXIST"):
		return nil
	case alipaySays(err, "ACQ.TRADE_STATUS_ERROR", "ACQ.REASON_TRADE_STATUS_INVALID"):
		return ErrPaid // or closed; the query that follows tells
	}
	return err
}

// Refund pays back once per out_request_no. An answer that says nothing moved, and a refusal, may
// both mean that it was paid back before; so that is asked.
func (a *Alipay) Refund(ctx context.Context, r *Refund) error {
	var made struct {
		Transaction string `json:"trade_no"`
		Moved       string `json:"fund_change"`
	}
	err := a.call(ctx, "alipay.trade.refund", map[string]string{
		"trade_no": r.Transaction, "refund_amount": yuanText(r.Amount), "out_request_no": r.Number.String(),
	}, &made)
	if err == nil && made.Transaction == r.Transaction && made.Moved == "Y" {
		return nil
	}
	if _, refused := errors.AsType[*alipayError](err); err != nil && !refused {
		return err
	}
	if err == nil {
		err = errors.New("alipay: refund: no money moved")
	}
	back, asking := a.refunded(ctx, r)
	if asking != nil {
		return errors.Join(err, asking)
	}
	if back {
		return nil
	}
	return err
}

// refunded asks whether a refund of this number and amount was made.
func (a *Alipay) refunded(ctx context.Context, r *Refund) (bool, error) {
	var had struct {
		Transaction string `json:"trade_no"`
		Number      string `json:"out_request_no"`
		Status      string `json:"refund_status"`
		Amount      string `json:"refund_amount"`
	}
	err := a.call(ctx, "alipay.trade.fastpay.refund.query", map[string]string{
		"trade_no": r.Transaction, "out_request_no": r.Number.String(),
	}, &had)
	switch {
	case err != nil:
		return false, err
	case had.Status != "REFUND_SUCCESS":
		return false, nil
	}
	amount, err := parseYuan(had.Amount)
	if err != nil || amount != r.Amount || had.Transaction != r.Transaction || had.Number != r.Number.String() {
		return false, errors.New("alipay: refund: its number stands for another refund")
	}
	return true, nil
}
