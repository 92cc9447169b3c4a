package alipay

import (
	"context"
	"errors"
	"fmt"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// The states of a trade. One that is finished can't be refunded any more. One that is closed was never
// paid, or all of it went back.
const (
	alipayPaid = "TRADE_SUCCESS"
	finished   = "TRADE_FINISHED"
	closed     = "TRADE_CLOSED"
)

// alipayTrade is a trade as alipay.trade.query reports it.
type alipayTrade struct {
	Number      string `json:"out_trade_no"`
	Transaction string `json:"trade_no"`
	State       string `json:"trade_status"`
	Amount      string `json:"total_amount"`
	PaidAt      string `json:"send_pay_date"` // when the buyer paid; empty where nobody did
}

// wasPaid says of a closed trade that the buyer paid it: then all of the money went back.
func (t *alipayTrade) wasPaid() bool { return t.State == closed && t.PaidAt != "" }

// Query asks by the pay number.
func (a *Gateway) Query(ctx context.Context, p *pay.Payment) (pay.Found, error) {
	t, err := a.trade(ctx, p)
	switch {
	case err != nil || t == nil: // nil: the buyer never came to Alipay's page
		return pay.Found{}, err
	case t.wasPaid():
		return pay.Found{}, fmt.Errorf("alipay: payment %s: %w", p.Number, pay.ErrRefundedOutside)
	case t.State != alipayPaid && t.State != finished:
		return pay.Found{Closed: t.State == closed}, nil
	}
	amount, err := parseYuan(t.Amount)
	if err != nil || t.Transaction == "" {
		return pay.Found{}, errors.New("alipay: query: the answer lacks the trade's number or amount")
	}
	return pay.Found{Paid: true, TransactionID: t.Transaction, Amount: amount, Currency: gateway.CNY}, nil
}

// trade reads the trade of a payment, nil where Alipay knows none.
func (a *Gateway) trade(ctx context.Context, p *pay.Payment) (*alipayTrade, error) {
	var t alipayTrade
	err := a.call(ctx, "alipay.trade.query", map[string]string{"out_trade_no": p.Number.String()}, &t)
	switch {
	case alipaySays(err, "ACQ.TRADE_NOT_EXIST"):
		return nil, nil
	case err != nil:
		return nil, err
	case t.Number != p.Number.String():
		return nil, errors.New("alipay: query: the answer is of another payment")
	}
	return &t, nil
}

// Close ends a trade that waits for its buyer. Alipay closes no other, and refuses with the same codes
// whether the trade is paid or closed, so that its state is asked then. A trade that Alipay doesn't know
// can't be closed; its pages end with the time to pay.
func (a *Gateway) Close(ctx context.Context, p *pay.Payment) error {
	err := a.call(ctx, "alipay.trade.close", map[string]string{"out_trade_no": p.Number.String()}, nil)
	switch {
	case alipaySays(err, "ACQ.TRADE_NOT_EXIST"):
		return nil
	case !alipaySays(err, "ACQ.REASON_ILLEGAL_STATUS", "ACQ.TRADE_STATUS_ERROR", "ACQ.REASON_TRADE_STATUS_INVALID"):
		return err // nil where it is closed now
	}
	t, err := a.trade(ctx, p)
	switch {
	case err != nil || t == nil:
		return err
	case t.State == alipayPaid, t.State == finished, t.wasPaid():
		return pay.ErrPaid
	case t.State == closed:
		return nil
	}
	return fmt.Errorf("%w: alipay: close: the trade is %s", pay.ErrUnavailable, gateway.CodeOnly(t.State))
}
