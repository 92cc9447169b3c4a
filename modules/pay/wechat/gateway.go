package wechat

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
	"regexp"
	"slices"
	"strings"
	"time"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/channels"
	"onrush/modules/pay/gateway"
)

// Gateway takes native payments, for which the client shows a QR code, and JSAPI payments of buyers in the
// app.
type Gateway struct {
	cfg       Config
	key       *rsa.PrivateKey
	platform  map[string]platformKey // by canonicalSerial
	askSerial string                 // serial of the public key that answers must be signed with, if any, as configured
	resource  cipher.AEAD
	client    *http.Client
	now       func() time.Time
	nonce     func() string
}

var (
	_ pay.ExpiringGateway = (*Gateway)(nil)
	_ pay.PayerGateway    = (*Gateway)(nil)
	_ pay.SpacedGateway   = (*Gateway)(nil)
)

// platformKey verifies WeChat Pay's signatures. If it is from a certificate, it expires with it.
type platformKey struct {
	key *rsa.PublicKey
	end time.Time
}

// publicKey is the prefix of the serial of a public key; serials of certificates don't have it.
const publicKey = "PUB_KEY_ID_"

// serials are what the keys of WeChat Pay are called.
var serials = regexp.MustCompile(`^([0-9A-Fa-f]{1,64}|(?i:` + publicKey + `)[0-9A-Za-z]{1,64})$`)

// New returns the channel; it reads the keys and checks cfg. nonce returns an unguessable string of at most
// 32 letters and digits for each signature.
func New(cfg Config, now func() time.Time, nonce func() string) (*Gateway, error) {
	cfg.BaseURL = cmp.Or(cfg.BaseURL, "https://api.mch.weixin.qq.com")
	cfg.BaseURL = strings.TrimSuffix(cfg.BaseURL, "/")
	err := gateway.Missing("wechat", gateway.Setting{Name: "merchant", Value: cfg.MchID},
		gateway.Setting{Name: "app", Value: cfg.AppID},
		gateway.Setting{Name: "certificate serial", Value: cfg.CertSerial},
		gateway.Setting{Name: "private key", Value: cfg.PrivateKey},
		gateway.Setting{Name: "platform keys", Value: strings.Join(slices.Collect(maps.Keys(cfg.PlatformKeys)), " ")},
		gateway.Setting{Name: "API v3 key", Value: cfg.APIv3Key},
		gateway.Setting{Name: "notify URL", Value: cfg.NotifyURL})
	if err == nil {
		err = gateway.Visible("wechat", gateway.Setting{Name: "merchant", Value: cfg.MchID},
			gateway.Setting{Name: "app", Value: cfg.AppID})
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(gateway.CheckBaseURL("wechat config: base URL", cfg.BaseURL),
		checkNotifyURL(cfg.NotifyURL)); err != nil {
		return nil, err
	}
	cfg.CertSerial = strings.TrimSpace(cfg.CertSerial)
	if !serials.MatchString(cfg.CertSerial) {
		return nil, errors.New("wechat config: certificate serial must have hexadecimal digits")
	}
	w := &Gateway{cfg: cfg, platform: map[string]platformKey{}, client: gateway.NewClient(now), now: now, nonce: nonce}
	if w.key, err = gateway.ReadPrivateKey(cfg.PrivateKey); err != nil {
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

// checkNotifyURL checks that WeChat Pay can call an address: https without a port, and no query.
func checkNotifyURL(text string) error {
	const name = "wechat config: notify URL"
	if err := gateway.CheckNotifyURL(name, text); err != nil {
		return err
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "https" || u.Port() != "" {
		return errors.New(name + ": must be https without a port, as WeChat Pay calls no other")
	}
	return nil
}

func (g *Gateway) readPlatformKeys() error {
	for serial, text := range g.cfg.PlatformKeys {
		if !serials.MatchString(strings.TrimSpace(serial)) { // it may be a part of a key
			return errors.New("wechat config: platform keys: a serial number has hexadecimal digits, or is the id of " +
				"a public key, which begins with " + publicKey)
		}
		key, cert, err := gateway.ReadPublicKey(text)
		if err != nil {
			return fmt.Errorf("wechat config: platform key %s %w", serial, err)
		}
		known := platformKey{key: key}
		if cert != nil {
			if canonicalSerial(serial) != fmt.Sprintf("%X", cert.SerialNumber) {
				return fmt.Errorf("wechat config: platform certificate %s has another serial number", serial)
			}
			known.end = cert.NotAfter
		}
		name := canonicalSerial(serial)
		if _, twice := g.platform[name]; twice {
			return fmt.Errorf("wechat config: platform key %s is a duplicate", name)
		}
		g.platform[name] = known
		if strings.HasPrefix(name, publicKey) {
			g.askSerial = max(g.askSerial, strings.TrimSpace(serial))
		}
	}
	return nil
}

// CloseIdleConnections closes the connections that are kept for the next calls.
func (g *Gateway) CloseIdleConnections() { g.client.CloseIdleConnections() }

// Calls is what gateway.Called says.
func (g *Gateway) Calls() (resting bool, underWay int) { return gateway.CallsOf(g.client) }

// Channel returns "wechat".
func (g *Gateway) Channel() string { return "wechat" }

// Ways returns a QR code for the buyer's phone, and paying in the app.
func (g *Gateway) Ways() []channels.Way {
	return []channels.Way{
		{Device: channels.Computer, By: "code_url"}, {Device: channels.App, By: "package", Needs: []string{"openid"}},
	}
}

// Acknowledge returns the success answer that WeChat Pay expects.
func (g *Gateway) Acknowledge() (contentType string, body []byte) {
	return "application/json", []byte(`{"code":"SUCCESS"}`)
}

// transactionInfo is a payment in answers and notifications of WeChat Pay.
type transactionInfo struct {
	AppID       string     `json:"appid"`
	MchID       string     `json:"mchid"`
	Number      string     `json:"out_trade_no"`
	Transaction string     `json:"transaction_id"`
	State       tradeState `json:"trade_state"`
	Amount      struct {
		Total    int64  `json:"total"`
		Currency string `json:"currency"`
	} `json:"amount"`
}

// check checks that a transaction is of this merchant, app and payment, and has all fields.
func (t *transactionInfo) check(w *Gateway, n order.Number) error {
	switch {
	case t.MchID != w.cfg.MchID || t.AppID != w.cfg.AppID:
		return errors.New("wechat: the transaction is of another merchant or app")
	case t.Number != n.String():
		return errors.New("wechat: the transaction is of another payment")
	case t.State == tradePaid && (t.Transaction == "" || t.Amount.Total <= 0):
		return errors.New("wechat: the transaction lacks its number or amount")
	}
	return nil
}

// currency returns the currency; CNY if the field is empty.
func (t *transactionInfo) currency() string { return cmp.Or(t.Amount.Currency, gateway.CNY) }

// tradeState is the state of a transaction.
type tradeState string

// The states of a transaction that are used here.
const (
	tradePaid     tradeState = "SUCCESS"
	tradeRefunded tradeState = "REFUND"
	tradeClosed   tradeState = "CLOSED"
)

// Query reads the transaction by the pay number.
func (g *Gateway) Query(ctx context.Context, p *pay.Payment) (pay.Found, error) {
	var t transactionInfo
	err := g.call(ctx, http.MethodGet,
		"/v3/pay/transactions/out-trade-no/"+p.Number.String()+"?mchid="+url.QueryEscape(g.cfg.MchID), nil, &t)
	if saysCode(err, unknown...) {
		return pay.Found{}, nil
	}
	if err == nil {
		err = t.check(g, p.Number)
	}
	switch {
	case err != nil:
		return pay.Found{}, err
	case t.State == tradeRefunded:
		return pay.Found{}, fmt.Errorf("wechat: payment %s: %w", p.Number, pay.ErrRefundedOutside)
	case t.State != tradePaid:
		return pay.Found{Closed: t.State == tradeClosed}, nil
	}
	return pay.Found{Paid: true, TransactionID: t.Transaction, Amount: t.Amount.Total, Currency: t.currency()}, nil
}

// The API's error codes for these states have changed over time, so each has several.
var (
	unknown = []string{"ORDER_NOT_EXIST", "ORDERNOTEXIST", "RESOURCE_NOT_EXISTS"}
	closed  = []string{"ORDER_CLOSED", "ORDERCLOSED"}
	isPaid  = []string{"ORDER_PAID", "ORDERPAID"}
)

// Close closes the order at the gateway.
func (g *Gateway) Close(ctx context.Context, p *pay.Payment) error {
	in := map[string]any{"mchid": g.cfg.MchID}
	err := g.call(ctx, http.MethodPost, "/v3/pay/transactions/out-trade-no/"+p.Number.String()+"/close", in, nil)
	switch {
	case saysCode(err, isPaid...):
		return pay.ErrPaid
	case saysCode(err, slices.Concat(unknown, closed)...):
		return nil
	}
	return err
}
