package wechat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/modules/problem"
)

// shortest is the shortest time to pay that WeChat Pay accepts, plus a second; it raises a shorter one.
const shortest = 61 * time.Second

// maxDescription is the longest description that WeChat Pay takes, in bytes.
const maxDescription = 127

// ShortestTime returns the shortest time to pay.
func (g *Gateway) ShortestTime() time.Duration { return shortest }

// Begin creates a native payment: the client shows the code_url as a QR code. A repeated call with the same
// number returns the same order at the gateway, which can be paid until its time is over.
func (g *Gateway) Begin(ctx context.Context, p *pay.Payment) (pay.Next, error) {
	var out struct {
		Code string `json:"code_url"`
	}
	if err := g.begin(ctx, "native", p, nil, &out); err != nil {
		return pay.Next{}, err
	}
	if out.Code == "" {
		return pay.Next{}, errors.New("wechat: the answer has no code_url")
	}
	return pay.Next{Params: map[string]string{"code_url": out.Code}}, nil
}

// BeginFor creates a JSAPI payment for the buyer with this openid in the app: the client passes the
// parameters to WeChat unchanged.
func (g *Gateway) BeginFor(ctx context.Context, p *pay.Payment, openid string) (pay.Next, error) {
	var out struct {
		Prepay string `json:"prepay_id"`
	}
	err := g.begin(ctx, "jsapi", p, map[string]any{"payer": map[string]any{"openid": openid}}, &out)
	switch {
	case saysCode(err, "PARAM_ERROR") && p.ExpiresMS-g.now().UnixMilli() > shortest.Milliseconds():
		// Only the openid is from the client, so it must be the wrong parameter.
		return pay.Next{}, problem.Invalid("openid", "is not accepted by WeChat Pay")
	case err != nil:
		return pay.Next{}, err
	case out.Prepay == "":
		return pay.Next{}, errors.New("wechat: the answer has no prepay_id")
	}
	return g.signPrepay(out.Prepay)
}

func (g *Gateway) begin(ctx context.Context, way string, p *pay.Payment, more map[string]any, out any) error {
	if err := gateway.CheckYuan(p, g.now()); err != nil {
		return err
	}
	in := map[string]any{
		"appid": g.cfg.AppID, "mchid": g.cfg.MchID,
		"description":  gateway.Describe(g.cfg.Subject, p, maxDescription, ""),
		"out_trade_no": p.Number.String(),
		"time_expire":  time.UnixMilli(p.ExpiresMS).In(gateway.ChinaTime).Format(time.RFC3339),
		"notify_url":   g.cfg.NotifyURL, "amount": map[string]any{"total": p.Amount, "currency": gateway.CNY},
	}
	for name, value := range more {
		in[name] = value
	}
	return g.call(ctx, http.MethodPost, "/v3/pay/transactions/"+way, in, out)
}

// signPrepay returns the parameters of the app's call. The signature is over the app, the time, a nonce
// and the package, one per line.
func (g *Gateway) signPrepay(prepay string) (pay.Next, error) {
	at, nonce, pack := strconv.FormatInt(g.now().Unix(), 10), g.nonce(), "prepay_id="+prepay
	signature, err := gateway.SignRSA(g.key, lines(g.cfg.AppID, at, nonce, pack))
	if err != nil {
		return pay.Next{}, fmt.Errorf("wechat: %w", err)
	}
	return pay.Next{Params: map[string]string{
		"appId": g.cfg.AppID, "timeStamp": at, "nonceStr": nonce, "package": pack, "signType": "RSA",
		"paySign": signature,
	}}, nil
}
