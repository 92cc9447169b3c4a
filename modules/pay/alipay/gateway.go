package alipay

import (
	"cmp"
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/channels"
	"onrush/modules/pay/gateway"
	"onrush/modules/problem"
)

// Gateway takes payments on Alipay's page, to which it redirects the client.
type Gateway struct {
	cfg    Config
	key    *rsa.PrivateKey
	theirs []*rsa.PublicKey // Alipay's keys, each of which is accepted
	certs  certNames
	client *http.Client
	now    func() time.Time
}

var (
	_ pay.ExpiringGateway = (*Gateway)(nil)
	_ pay.RefundReader    = (*Gateway)(nil)
	_ pay.SpacedGateway   = (*Gateway)(nil)
)

// New returns the channel; it reads the keys and checks cfg.
func New(cfg Config, now func() time.Time) (*Gateway, error) {
	cfg.BaseURL = cmp.Or(cfg.BaseURL, "https://openapi.alipay.com/gateway.do")
	err := gateway.Missing("alipay", gateway.Setting{Name: "app", Value: cfg.AppID},
		gateway.Setting{Name: "seller", Value: cfg.SellerID},
		gateway.Setting{Name: "private key", Value: cfg.PrivateKey},
		gateway.Setting{Name: "Alipay's key", Value: cfg.AlipayKey},
		gateway.Setting{Name: "notify URL", Value: cfg.NotifyURL})
	if err == nil {
		err = gateway.Visible("alipay", gateway.Setting{Name: "app", Value: cfg.AppID},
			gateway.Setting{Name: "seller", Value: cfg.SellerID})
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(gateway.CheckBaseURL("alipay config: base URL", cfg.BaseURL),
		gateway.CheckNotifyURL("alipay config: notify URL", cfg.NotifyURL)); err != nil {
		return nil, err
	}
	if strings.ContainsAny(cfg.Subject, noSubject) {
		return nil, errors.New("alipay config: subject must not contain / = &")
	}
	a := &Gateway{cfg: cfg, client: gateway.NewClient(now), now: now}
	if a.key, err = gateway.ReadPrivateKey(cfg.PrivateKey); err != nil {
		return nil, fmt.Errorf("alipay config: private key %w", err)
	}
	if a.certs, err = readCertNames(cfg.AppCert, cfg.RootCert, a.key); err != nil {
		return nil, err
	}
	return a, a.readTheirs()
}

// CloseIdleConnections closes the connections that are kept for the next calls.
func (g *Gateway) CloseIdleConnections() { g.client.CloseIdleConnections() }

// Calls is what gateway.Called says.
func (g *Gateway) Calls() (resting bool, underWay int) { return gateway.CallsOf(g.client) }

// Channel returns "alipay".
func (g *Gateway) Channel() string { return "alipay" }

// ShortestTime returns the least time_expire that Alipay accepts, and a second.
func (g *Gateway) ShortestTime() time.Duration { return 61 * time.Second }

// Ways returns Alipay's pages.
func (g *Gateway) Ways() []channels.Way {
	return []channels.Way{{Device: channels.Computer, By: "redirect_url"}, {Device: channels.Phone, By: "wap_url"}}
}

// Acknowledge returns the success answer that Alipay expects.
func (g *Gateway) Acknowledge() (contentType string, body []byte) {
	return "text/plain", []byte("success")
}

// timeLayout is how Alipay writes times, in ChinaTime.
const timeLayout = time.DateTime

const (
	// maxSubject is the longest subject that Alipay takes, in bytes of UTF-8 to be safe: its documents say characters.
	maxSubject = 256
	// noSubject are the characters that a subject must not contain.
	noSubject = "/=&"
)

// maxReturnURL is the longest return_url in characters that Alipay takes.
const maxReturnURL = 256

// Begin signs the addresses of Alipay's pages: redirect_url for computers, and the parameter wap_url for
// phones. Alipay learns of the payment when the buyer enters the password. time_expire disables the page, since a
// payment that Alipay doesn't know can't be closed.
func (g *Gateway) Begin(_ context.Context, p *pay.Payment) (pay.Next, error) {
	if err := gateway.CheckYuan(p, g.now()); err != nil {
		return pay.Next{}, err
	}
	if len(p.ReturnURL) > maxReturnURL {
		return pay.Next{}, problem.Invalid("return_url", "must have at most %d characters for this channel",
			maxReturnURL)
	}
	page, err := g.page("alipay.trade.page.pay", "FAST_INSTANT_TRADE_PAY", p)
	if err != nil {
		return pay.Next{}, err
	}
	wap, err := g.page("alipay.trade.wap.pay", "QUICK_WAP_WAY", p)
	if err != nil {
		return pay.Next{}, err
	}
	return pay.Next{RedirectURL: page, Params: map[string]string{"wap_url": wap}}, nil
}

func (g *Gateway) page(method, product string, p *pay.Payment) (string, error) {
	form, err := g.request(method, map[string]string{
		"out_trade_no": p.Number.String(), "total_amount": yuanText(p.Amount),
		"subject":      gateway.Describe(g.cfg.Subject, p, maxSubject, noSubject),
		"product_code": product, "time_expire": time.UnixMilli(p.ExpiresMS).In(gateway.ChinaTime).Format(timeLayout),
	}, map[string]string{"notify_url": g.cfg.NotifyURL, "return_url": cmp.Or(p.ReturnURL, g.cfg.ReturnURL)})
	if err != nil {
		return "", err
	}
	return g.cfg.BaseURL + "?" + form.Encode(), nil
}
