package pay

import (
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"onrush/modules/order"
)

// WechatConfig turns the channel wechat on: WeChat Pay API v3, for a merchant of the Mainland.
type WechatConfig struct {
	// MchID is the merchant's number, AppID the app that is bound to it.
	MchID, AppID string
	// CertSerial is the serial number of the merchant's API certificate, in hexadecimal.
	// Leading zeros and the case of letters don't matter.
	CertSerial string
	// PrivateKey is the merchant's API key: PEM, or the path of a PEM file.
	PrivateKey string
	// PlatformKeys verify what WeChat Pay sends: serial number → platform certificate, or
	// PUB_KEY_ID_… → public key; each as PEM or as the path of a PEM file. Several are valid at
	// once while WeChat Pay changes them.
	PlatformKeys map[string]string
	// APIv3Key, 32 characters, opens the notifications.
	APIv3Key string
	// NotifyURL is our /webhooks/pay/wechat as WeChat Pay reaches it: https, without a port or a query.
	NotifyURL string
	// Subject is what the buyer reads before the pay number. Default "Order".
	Subject string
	// BaseURL is where the API is. Default https://api.mch.weixin.qq.com.
	BaseURL string
}

// Off says that nothing is set, so that there is no such channel.
func (c WechatConfig) Off() bool {
	return c.MchID == "" && c.AppID == "" && c.CertSerial == "" && c.PrivateKey == "" && len(c.PlatformKeys) == 0 && c.APIv3Key == ""
}

// Wechat takes money by native payments, where the client shows a QR code, and by JSAPI payments of a
// buyer who is in the app.
type Wechat struct {
	cfg       WechatConfig
	key       *rsa.PrivateKey
	platform  map[string]platformKey // by wechatSerial
	askSerial string                 // the public key with which answers shall be signed, if there is one
	resource  cipher.AEAD
	client    *http.Client
	now       func() time.Time
	once      func() string
}

var (
	_ Gateway      = (*Wechat)(nil)
	_ PayerGateway = (*Wechat)(nil)
)

// platformKey verifies WeChat Pay's signatures, until its certificate's end where it has one.
type platformKey struct {
	key *rsa.PublicKey
	end time.Time
}

// wechatPublicKey begins the serial of a public key, against that of a certificate.
const wechatPublicKey = "PUB_KEY_ID_"

// NewWechat makes the channel and reads its keys. Each signature has a word from once, at most 32
// letters and digits that nobody can guess.
func NewWechat(cfg WechatConfig, now func() time.Time, once func() string) (*Wechat, error) {
	cfg.BaseURL = cmp.Or(cfg.BaseURL, "https://api.mch.weixin.qq.com")
	cfg.Subject = cmp.Or(cfg.Subject, "Order")
	cfg.BaseURL = strings.TrimSuffix(cfg.BaseURL, "/")
	err := missing("wechat", setting{"merchant", cfg.MchID}, setting{"app", cfg.AppID}, setting{"certificate serial", cfg.CertSerial},
		setting{"private key", cfg.PrivateKey}, setting{"platform keys", strings.Join(slices.Collect(maps.Keys(cfg.PlatformKeys)), " ")},
		setting{"API v3 key", cfg.APIv3Key}, setting{"notify URL", cfg.NotifyURL})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkBaseURL("wechat config: base URL", cfg.BaseURL), checkWechatNotifyURL(cfg.NotifyURL)); err != nil {
		return nil, err
	}
	cfg.CertSerial = wechatSerial(cfg.CertSerial)
	w := &Wechat{cfg: cfg, platform: map[string]platformKey{}, client: newGatewayClient(), now: now, once: once}
	if w.key, err = readPrivateKey(cfg.PrivateKey); err != nil {
		return nil, fmt.Errorf("wechat config: private key %w", err)
	}
	if len(cfg.APIv3Key) != 32 {
		return nil, errors.New("wechat config: API v3 key must have 32 characters")
	}
	block, err := aes.NewCipher([]byte(cfg.APIv3Key))
	if err != nil {
		return nil, errors.New("wechat config: API v3 key can't be used")
	}
	if w.resource, err = cipher.NewGCM(block); err != nil {
		return nil, fmt.Errorf("wechat config: %w", err)
	}
	return w, w.readPlatformKeys()
}

// checkWechatNotifyURL wants what WeChat Pay calls: https on its own port, and no query.
func checkWechatNotifyURL(text string) error {
	const name = "wechat config: notify URL"
	if err := checkNotifyURL(name, text); err != nil {
		return err
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "https" || u.Port() != "" {
		return errors.New(name + ": must be https without a port, as WeChat Pay calls no other")
	}
	return nil
}

func (w *Wechat) readPlatformKeys() error {
	for serial, text := range w.cfg.PlatformKeys {
		key, cert, err := readPublicKey(text)
		if err != nil {
			return fmt.Errorf("wechat config: platform key %s %w", serial, err)
		}
		known := platformKey{key: key}
		if cert != nil {
			if wechatSerial(serial) != fmt.Sprintf("%X", cert.SerialNumber) {
				return fmt.Errorf("wechat config: platform certificate %s has another serial number", serial)
			}
			known.end = cert.NotAfter
		}
		name := wechatSerial(serial)
		if _, twice := w.platform[name]; twice {
			return fmt.Errorf("wechat config: platform key %s is there twice", name)
		}
		w.platform[name] = known
		if strings.HasPrefix(name, wechatPublicKey) {
			w.askSerial = max(w.askSerial, name)
		}
	}
	return nil
}

// Channel is wechat.
func (w *Wechat) Channel() string { return "wechat" }

// Acknowledge is WeChat Pay's success answer.
func (w *Wechat) Acknowledge() (contentType string, body []byte) {
	return "application/json", []byte(`{"code":"SUCCESS"}`)
}

// wechatTransaction is a payment as WeChat Pay tells of it, in answers and in notifications.
type wechatTransaction struct {
	AppID       string `json:"appid"`
	MchID       string `json:"mchid"`
	Number      string `json:"out_trade_no"`
	Transaction string `json:"transaction_id"`
	State       string `json:"trade_state"`
	Amount      struct {
		Total    int64  `json:"total"`
		Currency string `json:"currency"`
	} `json:"amount"`
}

// check makes sure that a transaction is of this merchant, app and payment, and whole.
func (t *wechatTransaction) check(w *Wechat, n order.Number) error {
	switch {
	case t.MchID != w.cfg.MchID || t.AppID != w.cfg.AppID:
		return errors.New("wechat: the transaction is of another merchant or app")
	case t.Number != n.String():
		return errors.New("wechat: the transaction is of another payment")
	case t.State == wechatPaid && (t.Transaction == "" || t.Amount.Total <= 0):
		return errors.New("wechat: the transaction lacks its number or amount")
	}
	return nil
}

// currency is CNY where nothing is said.
func (t *wechatTransaction) currency() string { return cmp.Or(t.Amount.Currency, yuan) }

// The states of a transaction that matter here.
const (
	wechatPaid   = "SUCCESS"
	wechatRefund = "REFUND"
	wechatShut   = "CLOSED"
)

// Query asks by the pay number.
func (w *Wechat) Query(ctx context.Context, p *Payment) (Found, error) {
	var t wechatTransaction
	err := w.call(ctx, http.MethodGet, "/v3/pay/transactions/out-trade-no/"+p.Number.String()+"?mchid="+url.QueryEscape(w.cfg.MchID), nil, &t)
	if saysCode(err, wechatUnknown...) {
		return Found{}, nil
	}
	if err == nil {
		err = t.check(w, p.Number)
	}
	switch {
	case err != nil:
		return Found{}, err
	case t.State == wechatRefund:
		return Found{}, fmt.Errorf("wechat: payment %s: %w", p.Number, ErrRefundedOutside)
	case t.State != wechatPaid:
		return Found{Closed: t.State == wechatShut}, nil
	}
	return Found{Paid: true, TransactionID: t.Transaction, Amount: t.Amount.Total, Currency: t.currency()}, nil
}

// What the API calls these states in its errors has changed over time.
var (
	wechatUnknown = []string{"ORDER_NOT_EXIST", "ORDERNOTEXIST", "RESOURCE_NOT_EXISTS"}
	wechatClosed  = []string{"ORDER_CLOSED", "ORDERCLOSED"}
	wechatIsPaid  = []string{"ORDER_PAID", "ORDERPAID"}
)

// Close ends the order at the gateway.
func (w *Wechat) Close(ctx context.Context, p *Payment) error {
	in := map[string]any{"mchid": w.cfg.MchID}
	err := w.call(ctx, http.MethodPost, "/v3/pay/transactions/out-trade-no/"+p.Number.String()+"/close", in, nil)
	switch {
	case saysCode(err, wechatIsPaid...):
		return ErrPaid
	case saysCode(err, slices.Concat(wechatUnknown, wechatClosed)...):
		return nil
	}
	return err
}
