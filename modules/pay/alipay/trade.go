package alipay

import (
	"context"
	"errors"
	"fmt"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// tradeStatus is the state of a trade.
type tradeStatus string

// The states of a trade. A finished one can no longer be refunded. A closed one was never paid, or was
// refunded completely.
const (
	succeeded tradeStatus = "TRADE_SUCCESS"
	finished  tradeStatus = "TRADE_FINISHED"
	closed    tradeStatus = "TRADE_CLOSED"
)

// tradeInfo is a trade in an answer of alipay.trade.query.
type tradeInfo struct {
	Number      string      `json:"out_trade_no"`
	Transaction string      `json:"trade_no"`
	State       tradeStatus `json:"trade_status"`
	Amount      string      `json:"total_amount"`
	PaidAt      string      `json:"send_pay_date"` // when the buyer paid; empty if it is unpaid
}

// wasPaid reports whether a closed trade had been paid; then it was refunded completely.
func (t *tradeInfo) wasPaid() bool { return t.State == closed && t.PaidAt != "" }

// Query reads the trade by the pay number.
func (g *Gateway) Query(ctx context.Context, p *pay.Payment) (pay.Found, error) {
	t, err := g.trade(ctx, p)
	switch {
	case err != nil || t == nil: // nil: the buyer never opened Alipay's page
		return pay.Found{}, err
	case t.wasPaid():
		return pay.Found{}, fmt.Errorf("alipay: payment %s: %w", p.Number, pay.ErrRefundedOutside)
	case t.State != succeeded && t.State != finished:
		return pay.Found{Closed: t.State == closed}, nil
	}
	amount, err := parseYuan(t.Amount)
	if err != nil || t.Transaction == "" {
		return pay.Found{}, errors.New("alipay: query: the answer lacks the trade's number or amount")
	}
	return pay.Found{Paid: true, TransactionID: t.Transaction, Amount: amount, Currency: gateway.CNY}, nil
}

// trade reads the trade of a payment; it returns nil if Alipay knows none.
func (g *Gateway) trade(ctx context.Context, p *pay.Payment) (*tradeInfo, error) {
	var t tradeInfo
	err := g.call(ctx, "alipay.trade.query", map[string]string{"out_trade_no": p.Number.String()}, &t)
	switch {
	case saysCode(err, "ACQ.TRADE_NOT_EXIST"):
		return nil, nil
	case err != nil:
		return nil, err
	case t.Number != p.Number.String():
		return nil, errors.New("alipay: query: the answer is of another payment")
	}
	return &t, nil
}

// Close closes a trade that waits for its buyer. For other trades Alipay refuses with the same codes
// whether they are paid or closed, so Close then reads the state. A trade that Alipay doesn't know can't
// be closed: it begins when the buyer enters the password on the page, which is possible until the page expires.
func (g *Gateway) Close(ctx context.Context, p *pay.Payment) error {
	err := g.call(ctx, "alipay.trade.close", map[string]string{"out_trade_no": p.Number.String()}, nil)
	switch {
	case saysCode(err, "ACQ.TRADE_NOT_EXIST"):
		return fmt.Errorf("alipay: close: %w", pay.ErrOpen)
	case !saysCode(err, "ACQ.REASON_ILLEGAL_STATUS", "ACQ.TRADE_STATUS_ERROR", "ACQ.REASON_TRADE_STATUS_INVALID"):
		return err // nil if it is closed now
	}
	t, err := g.trade(ctx, p)
	switch {
	case err != nil || t == nil:
		return err
	case t.State == succeeded, t.State == finished, t.wasPaid():
		return pay.ErrPaid
	case t.State == closed:
		return nil
	}
	return fmt.Errorf("%w: alipay: close: the trade is %s", pay.ErrUnavailable, gateway.CodeOnly(string(t.State)))
}
