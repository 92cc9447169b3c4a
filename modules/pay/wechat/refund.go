package wechat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// refundStatus is the state of a refund at WeChat Pay.
type refundStatus string

// The states of a refund.
const (
	refundSuccess    refundStatus = "SUCCESS"
	refundProcessing refundStatus = "PROCESSING"
	refundClosed     refundStatus = "CLOSED"
	refundAbnormal   refundStatus = "ABNORMAL"
)

// back is a refund in answers of WeChat Pay.
type back struct {
	Number string       `json:"out_refund_no"`
	Status refundStatus `json:"status"`
	Amount struct {
		Refund int64 `json:"refund"`
	} `json:"amount"`
}

// state returns nil if the money was paid back, and otherwise the error for Refund. It also checks that the
// refund has this amount. A CLOSED refund stays so without paying back; WeChat Pay requires a new number to
// make it again (its document merchant/4013071031, section 2.3).
func (b *back) state(r *pay.Refund) error {
	if b.Number != r.GatewayNumber() || b.Amount.Refund != r.Amount {
		return errors.New("wechat: refund: the answer is of another refund")
	}
	switch b.Status {
	case refundSuccess:
		return nil
	case refundProcessing:
		return fmt.Errorf("%w: wechat: it is PROCESSING", pay.ErrUnderWay)
	case refundClosed:
		return fmt.Errorf("wechat: refund %s is CLOSED: %w", b.Number, pay.ErrRefundFailed)
	case refundAbnormal:
		return errors.New("wechat: refund: it is ABNORMAL, the buyer's card takes no money; pay it back on the " +
			"merchant's page at WeChat Pay, then retry")
	}
	return fmt.Errorf("wechat: refund: it is %s", gateway.CodeOnly(string(b.Status)))
}

// RefundSpacing is the minute that WeChat Pay asks for between refunds of one transaction.
func (g *Gateway) RefundSpacing() time.Duration { return time.Minute }

const refundsPath = "/v3/refund/domestic/refunds"

// Refund sends the refund, which WeChat Pay makes once per number, or queries it while it is under way. It
// also queries it after a refusal, since a request whose answer was lost may have made the refund.
func (g *Gateway) Refund(ctx context.Context, r *pay.Refund) error {
	if r.UnderWayMS != 0 {
		had, err := g.findRefund(ctx, r)
		switch {
		case err != nil:
			return err
		case had != nil:
			return had.state(r)
		}
	}
	err := g.sendRefund(ctx, r)
	if refused, ok := errors.AsType[*apiError](err); !ok || !refused.signed || errors.Is(err, pay.ErrUnavailable) {
		return err
	}
	had, asking := g.findRefund(ctx, r)
	switch {
	case asking != nil:
		return errors.Join(err, asking)
	case had != nil:
		return had.state(r)
	}
	return err
}

// findRefund reads the refund with this number; it returns nil if WeChat Pay knows none.
func (g *Gateway) findRefund(ctx context.Context, r *pay.Refund) (*back, error) {
	var had back
	err := g.call(ctx, http.MethodGet, refundsPath+"/"+r.GatewayNumber(), nil, &had)
	switch {
	case saysCode(err, unknown...):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &had, nil
}

// sendRefund requests a refund. WeChat Pay requires the transaction's whole amount, so sendRefund reads the
// transaction first.
func (g *Gateway) sendRefund(ctx context.Context, r *pay.Refund) error {
	var paid transactionInfo
	err := g.call(ctx, http.MethodGet,
		"/v3/pay/transactions/id/"+url.PathEscape(r.Transaction)+"?mchid="+url.QueryEscape(g.cfg.MchID), nil, &paid)
	if err == nil {
		err = paid.check(g, r.Payment)
	}
	if err != nil {
		return err
	}
	in := map[string]any{
		"transaction_id": r.Transaction, "out_refund_no": r.GatewayNumber(),
		"amount": map[string]any{"refund": r.Amount, "total": paid.Amount.Total, "currency": paid.currency()},
	}
	var made back
	if err := g.call(ctx, http.MethodPost, refundsPath, in, &made); err != nil {
		return err
	}
	return made.state(r)
}
