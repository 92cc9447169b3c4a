package alipay

import (
	"context"
	"errors"

	"onrush/modules/pay"
)

// Refund pays back once per out_request_no. A refusal, or an answer that no money moved, may mean that it
// was paid back before; then Refund queries the refund.
func (a *Gateway) Refund(ctx context.Context, r *pay.Refund) error {
	var made struct {
		Transaction string `json:"trade_no"`
		Moved       string `json:"fund_change"`
	}
	err := a.call(ctx, "alipay.trade.refund", map[string]string{
		"trade_no": r.Transaction, "refund_amount": yuanText(r.Amount), "out_request_no": r.GatewayNumber(),
	}, &made)
	if err == nil && made.Transaction == r.Transaction && made.Moved == "Y" {
		return nil
	}
	if _, refused := errors.AsType[*apiError](err); err != nil && (!refused || errors.Is(err, pay.ErrUnavailable)) {
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

// refunded queries whether a refund with this number and amount was made.
func (a *Gateway) refunded(ctx context.Context, r *pay.Refund) (bool, error) {
	var had struct {
		Transaction string `json:"trade_no"`
		Number      string `json:"out_request_no"`
		Status      string `json:"refund_status"`
		Amount      string `json:"refund_amount"`
	}
	err := a.call(ctx, "alipay.trade.fastpay.refund.query", map[string]string{
		"trade_no": r.Transaction, "out_request_no": r.GatewayNumber(),
	}, &had)
	switch {
	case err != nil:
		return false, err
	case had.Status != "REFUND_SUCCESS":
		return false, nil
	}
	amount, err := parseYuan(had.Amount)
	if err != nil || amount != r.Amount || had.Transaction != r.Transaction || had.Number != r.GatewayNumber() {
		return false, errors.New("alipay: refund: its number was used for another refund")
	}
	return true, nil
}
