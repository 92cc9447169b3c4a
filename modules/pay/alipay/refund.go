package alipay

import (
	"context"
	"errors"
	"time"

	"onrush/modules/pay"
)

// RefundSpacing is the 3 s that Alipay asks for between refunds of one trade.
func (g *Gateway) RefundSpacing() time.Duration { return 3 * time.Second }

// Refund pays back once per out_request_no. A refusal, or an answer that no money moved, may mean that it
// was paid back before; then Refund queries the refund.
func (g *Gateway) Refund(ctx context.Context, r *pay.Refund) error {
	var made struct {
		Transaction string `json:"trade_no"`
		Moved       string `json:"fund_change"`
	}
	err := g.call(ctx, "alipay.trade.refund", map[string]string{
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
	switch back, asking := g.ReadRefund(ctx, r.Transaction, r.GatewayNumber()); {
	case asking != nil:
		return errors.Join(err, asking)
	case back == 0:
		return err
	case back != r.Amount:
		return errors.New("alipay: refund: its number was used for another refund")
	}
	return nil
}

// ReadRefund queries the amount of the refund with a number; it is 0 if there is none.
func (g *Gateway) ReadRefund(ctx context.Context, transaction, number string) (int64, error) {
	var had struct {
		Transaction string `json:"trade_no"`
		Number      string `json:"out_request_no"`
		Status      string `json:"refund_status"`
		Amount      string `json:"refund_amount"`
	}
	err := g.call(ctx, "alipay.trade.fastpay.refund.query", map[string]string{
		"trade_no": transaction, "out_request_no": number,
	}, &had)
	switch {
	case err != nil:
		return 0, err
	case had.Status != "REFUND_SUCCESS":
		return 0, nil
	}
	amount, err := parseYuan(had.Amount)
	if err != nil || amount <= 0 || had.Transaction != transaction || had.Number != number {
		return 0, errors.New("alipay: refund: the answer is of another refund")
	}
	return amount, nil
}
