package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"onrush/modules/api"
	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/modules/pay/hosted"
	"onrush/modules/sign"
)

// Gateway calls the routes of a shop.
type Gateway struct {
	name   string
	url    string
	keys   sign.WebhookKeys
	test   bool
	now    func() time.Time
	client *http.Client
}

var _ hosted.Gateway = (*Gateway)(nil)

// New returns a gateway that Parse returned the configuration of.
func New(name string, c Config, now func() time.Time) (*Gateway, error) {
	keys, err := sign.NewWebhookKeys(c.Secrets)
	if err != nil {
		return nil, fmt.Errorf("gateway %s: %w", name, err)
	}
	return &Gateway{name: name, url: c.URL, keys: keys, test: c.Test, now: now, client: gateway.NewClient(now)}, nil
}

// CloseIdleConnections closes the connections that are kept for the next calls.
func (g *Gateway) CloseIdleConnections() { g.client.CloseIdleConnections() }

// call has the fields of all calls. Test is the setting's: a shop must not pay test orders out of real money.
type call struct {
	PayNumber string `json:"pay_number"`
	Amount    int64  `json:"amount"`
	Currency  string `json:"currency"`
	Test      bool   `json:"test"`
}

func (g *Gateway) callOf(p *hosted.Payment) call {
	return call{PayNumber: p.Number, Amount: p.Amount, Currency: p.Currency, Test: g.test}
}

// answer is the answer to all calls.
type answer struct {
	RedirectURL string            `json:"redirect_url"`
	Params      map[string]string `json:"params"`
	Status      string            `json:"status"`
	Transaction string            `json:"transaction_id"`
	Amount      *int64            `json:"amount"`
	Currency    string            `json:"currency"`
	Code        string            `json:"code"` // of a refusal
}

// Begin calls /begin.
func (g *Gateway) Begin(ctx context.Context, p hosted.Payment) (hosted.Next, error) {
	var a answer
	err := g.send(ctx, "begin", p.Number, struct {
		call
		User      string     `json:"user_id"`
		Orders    []string   `json:"order_numbers"`
		Goods     string     `json:"goods"`
		ReturnURL string     `json:"return_url,omitempty"`
		NotifyURL string     `json:"notify_url"`
		ExpiresAt api.Millis `json:"expires_at"`
	}{g.callOf(&p), p.User, p.Orders, p.Goods, p.ReturnURL, p.NotifyURL, api.Millis(p.ExpiresMS)}, &a)
	return hosted.Next{RedirectURL: a.RedirectURL, Params: a.Params}, err
}

// The states of payments and refunds in answers.
const (
	statusPaid      = "paid"
	statusUnpaid    = "unpaid"
	statusClosed    = "closed"
	statusDone      = "done"
	statusUnderWay  = "under_way"
	statusFailed    = "failed"
	statusNoBalance = "no_balance"
)

// Query calls /query.
func (g *Gateway) Query(ctx context.Context, p hosted.Payment) (hosted.Found, error) {
	var a answer
	if err := g.send(ctx, "query", p.Number, g.callOf(&p), &a); err != nil {
		return hosted.Found{}, err
	}
	switch a.Status {
	case statusPaid:
		if a.Amount == nil {
			return hosted.Found{}, errUnclear
		}
		return hosted.Found{Paid: true, Transaction: a.Transaction, Amount: *a.Amount, Currency: a.Currency}, nil
	case statusUnpaid:
		return hosted.Found{}, nil
	case statusClosed:
		return hosted.Found{Closed: true}, nil
	}
	return hosted.Found{}, errUnclear
}

// Close calls /close.
func (g *Gateway) Close(ctx context.Context, p hosted.Payment) error {
	var a answer
	if err := g.send(ctx, "close", p.Number, g.callOf(&p), &a); err != nil {
		return err
	}
	switch a.Status {
	case statusClosed:
		return nil
	case statusPaid:
		return pay.ErrPaid
	}
	return errUnclear
}

// Refund calls /refund.
func (g *Gateway) Refund(ctx context.Context, r hosted.Refund) error {
	var a answer
	err := g.send(ctx, "refund", r.Number, struct {
		call
		Number      string `json:"refund_number"`
		Transaction string `json:"transaction_id"`
	}{call{r.Payment, r.Amount, r.Currency, g.test}, r.Number, r.Transaction}, &a)
	if err != nil {
		return err
	}
	switch a.Status {
	case statusDone:
		return nil
	case statusUnderWay:
		return pay.ErrUnderWay
	case statusFailed:
		return fmt.Errorf("%w: %s", pay.ErrRefundFailed, gateway.CodeOnly(a.Code))
	case statusNoBalance:
		return pay.ErrNoBalance
	}
	return errUnclear
}

// errUnclear is the error of an answer that says nothing: the gateway may have done what it was asked for, or not.
var errUnclear = fmt.Errorf("%w: its answer is none that docs/shop/payments.md has", pay.ErrUnavailable)

// send sends a call and reads the answer. number names what the call is about, the same when it is repeated.
//
// Only a success, and a refusal with a code, are answers of the gateway. All else may be of a proxy before it, or of
// another program at its address, and decides nothing.
func (g *Gateway) send(ctx context.Context, route, number string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the call: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/"+route, bytes.NewReader(text))
	if err != nil {
		return errors.New("its address can't be read")
	}
	if err := g.keys.Sign(req.Header, route+"-"+number, g.now(), text); err != nil {
		return err
	}
	status, _, read, err := gateway.Send(g.client, req)
	if err != nil {
		return err
	}
	if status == http.StatusOK {
		if err := gateway.ReadJSON(read, into); err != nil {
			return fmt.Errorf("%w: it is not JSON", errUnclear)
		}
		return nil
	}
	var refused answer
	if status < http.StatusBadRequest || gateway.InTrouble(status) || gateway.ReadJSON(read, &refused) != nil ||
		gateway.CodeOnly(refused.Code) == "" {
		return fmt.Errorf("%w: status %d", pay.ErrUnavailable, status)
	}
	return fmt.Errorf("refused with status %d, code %s", status, gateway.CodeOnly(refused.Code))
}
