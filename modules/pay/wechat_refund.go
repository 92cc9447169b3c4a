package pay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// wechatBack is a refund as WeChat Pay tells of it.
type wechatBack struct {
	Number string `json:"out_refund_no"`
	Status string `json:"status"`
	Amount struct {
		Refund int64 `json:"refund"`
	} `json:"amount"`
}

// wechatRefundClosed is the state of a refund that ended without money; it may be sent again under
// its number, as WeChat Pay asks of refunds that failed.
const wechatRefundClosed = "CLOSED"

// check makes sure that the number stands for this amount.
func (b *wechatBack) check(r *Refund) error {
	if b.Number != r.Number.String() || b.Amount.Refund != r.Amount {
		return errors.New("wechat: refund: the answer is of another refund")
	}
	return nil
}

// state is nil for money that is back.
func (b *wechatBack) state(r *Refund) error {
	if err := b.check(r); err != nil {
		return err
	}
	switch b.Status {
	case "SUCCESS":
		return nil
	case "PROCESSING":
		return fmt.Errorf("%w: wechat: it is PROCESSING", ErrUnderWay)
	case "ABNORMAL":
		return errors.New("wechat: refund: it is ABNORMAL, the buyer's card takes no money; pay it back on the merchant's page at WeChat Pay, then retry")
	}
	return fmt.Errorf("wechat: refund: it is %s", codeOnly(b.Status))
}

// Refund asks first what became of the refund of this number, and sends it if there is none, or if
// it was closed and we know that.
func (w *Wechat) Refund(ctx context.Context, r *Refund) error {
	var had wechatBack
	err := w.call(ctx, http.MethodGet, wechatRefunds+"/"+r.Number.String(), nil, &had)
	switch {
	case saysCode(err, wechatUnknown...):
		return w.sendRefund(ctx, r)
	case err == nil:
		err = had.check(r)
	}
	switch {
	case err != nil:
		return err
	case had.Status == wechatRefundClosed && r.UnderWayMS == 0:
		return w.sendRefund(ctx, r)
	}
	return had.state(r)
}

const wechatRefunds = "/v3/refund/domestic/refunds"

// sendRefund asks for a refund, which WeChat Pay makes once per refund number. It wants to be told
// the transaction's whole amount, so that is asked first.
func (w *Wechat) sendRefund(ctx context.Context, r *Refund) error {
	var paid wechatTransaction
	err := w.call(ctx, http.MethodGet, "/v3/pay/transactions/id/"+url.PathEscape(r.Transaction)+"?mchid="+url.QueryEscape(w.cfg.MchID), nil, &paid)
	if err == nil {
		err = paid.check(w, r.Payment)
	}
	if err != nil {
		return err
	}
	in := map[string]any{
		"transaction_id": r.Transaction, "out_refund_no": r.Number.String(),
		"amount": map[string]any{"refund": r.Amount, "total": paid.Amount.Total, "currency": paid.currency()},
	}
	var made wechatBack
	if err := w.call(ctx, http.MethodPost, wechatRefunds, in, &made); err != nil {
		return err
	}
	return made.state(r)
}
