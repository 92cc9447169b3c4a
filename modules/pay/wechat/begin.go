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
	"onrush/web/problem"
)

// shortest is the shortest time to pay that WeChat Pay takes, and a second. What is paid after
// our own time goes back.
const shortest = 61 * time.Second

// Begin orders a native payment: the client shows the code_url as a QR code. Repeated with the same
// number, it is the same order at the gateway. It can be paid until its time is over.
func (w *Gateway) Begin(ctx context.Context, p *pay.Payment) (pay.Next, error) {
	var out struct {
		Code string `json:"code_url"`
	}
	if err := w.begin(ctx, "native", p, nil, &out); err != nil {
		return pay.Next{}, err
	}
	if out.Code == "" {
		return pay.Next{}, errors.New("wechat: the answer has no code_url")
	}
	return pay.Next{Params: map[string]string{"code_url": out.Code}}, nil
}

// BeginFor orders a JSAPI payment, for the buyer with this openid in the app: the client hands the
// parameters to WeChat as they are.
func (w *Gateway) BeginFor(ctx context.Context, p *pay.Payment, openid string) (pay.Next, error) {
	var out struct {
		Prepay string `json:"prepay_id"`
	}
	err := w.begin(ctx, "jsapi", p, map[string]any{"payer": map[string]any{"openid": openid}}, &out)
	switch {
	case saysCode(err, "PARAM_ERROR") && p.ExpiresMS-w.now().UnixMilli() > shortest.Milliseconds():
		// All other fields are ours, and are the same for native payments.
		return pay.Next{}, problem.Invalid("openid", "is not one that WeChat Pay takes")
	case err != nil:
		return pay.Next{}, err
	case out.Prepay == "":
		return pay.Next{}, errors.New("wechat: the answer has no prepay_id")
	}
	return w.signPrepay(out.Prepay)
}

func (w *Gateway) begin(ctx context.Context, way string, p *pay.Payment, more map[string]any, out any) error {
	if err := gateway.CheckYuan(p, w.now()); err != nil {
		return err
	}
	expires := max(p.ExpiresMS, p.CreatedMS+shortest.Milliseconds())
	in := map[string]any{
		"appid": w.cfg.AppID, "mchid": w.cfg.MchID, "description": w.cfg.Subject + " " + p.Number.String(),
		"out_trade_no": p.Number.String(), "time_expire": time.UnixMilli(expires).In(gateway.ChinaTime).Format(time.RFC3339),
		"notify_url": w.cfg.NotifyURL, "amount": map[string]any{"total": p.Amount, "currency": gateway.CNY},
	}
	for name, value := range more {
		in[name] = value
	}
	return w.call(ctx, http.MethodPost, "/v3/pay/transactions/"+way, in, out)
}

// signPrepay makes what the app's own call takes. The signature is over the app, the time, a word
// used once, and the package, a line each.
func (w *Gateway) signPrepay(prepay string) (pay.Next, error) {
	at, nonce, pack := strconv.FormatInt(w.now().Unix(), 10), w.nonce(), "prepay_id="+prepay
	signature, err := gateway.SignRSA(w.key, lines(w.cfg.AppID, at, nonce, pack))
	if err != nil {
		return pay.Next{}, fmt.Errorf("wechat: %w", err)
	}
	return pay.Next{Params: map[string]string{
		"appId": w.cfg.AppID, "timeStamp": at, "nonceStr": nonce, "package": pack, "signType": "RSA", "paySign": signature,
	}}, nil
}
