package pay

import (
	"context"
	"errors"
	"slices"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

// RefundOrdersRequest is the body of POST /orders:refund: the orders to refund completely.
type RefundOrdersRequest struct {
	Orders []order.Number `json:"order_numbers" validate:"required,min=1,max=100,dive,min=1"`
	Reason string         `json:"reason" validate:"max=200,line"`
}

func (r RefundOrdersRequest) digest() string {
	parts := []string{r.Reason}
	for _, n := range r.Orders {
		parts = append(parts, n.String())
	}
	return sign.Digest(12, parts...)
}

// RefundedOrders are the results for the orders of a request, in its order.
type RefundedOrders struct {
	Items    []RefundedOrder `json:"items"`
	Refunded int             `json:"refunded"`
	Failed   int             `json:"failed"`
	Replayed bool            `json:"replayed,omitempty"` // a refund was
}

// RefundedOrder is the result for one order: either Refund or Error.
type RefundedOrder struct {
	Order  order.Number `json:"order_number"`
	Refund *RefundView  `json:"refund,omitempty"`
	Error  *LineError   `json:"error,omitempty"`
}

// LineError says why one of many was refused.
type LineError struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// RefundOrders refunds the rest of each order in a transaction of its own: an order that is refused doesn't
// keep back the others. Nothing is forced. The same key and body return the same refunds, and try the
// refused orders again.
func (o *Operations) RefundOrders(
	ctx context.Context, by Operator, key string, req RefundOrdersRequest,
) (*RefundedOrders, error) {
	if sorted := slices.Sorted(slices.Values(req.Orders)); len(slices.Compact(sorted)) != len(req.Orders) {
		return nil, problem.Invalid("order_numbers", "has a duplicate")
	}
	if err := o.claimKey(ctx, newRefundKey(by, req.digest(), "orders", key)); err != nil {
		return nil, err
	}
	answer := &RefundedOrders{}
	for _, n := range req.Orders {
		one := RefundRequest{Reason: req.Reason}
		refund, err := o.refundOnce(ctx, by, newRefundKey(by, one.digest(n), "orders", key, n.String()), n, one)
		line := RefundedOrder{Order: n}
		if err == nil {
			line.Refund = ShowRefund(refund)
			answer.Refunded++
			answer.Replayed = answer.Replayed || refund.Replayed
		} else {
			line.Error = lineError(err)
			answer.Failed++
		}
		answer.Items = append(answer.Items, line)
	}
	return answer, nil
}

func lineError(err error) *LineError {
	refused, ok := errors.AsType[*problem.Error](err)
	if !ok {
		refused = problem.Unavailable(err, "The order can't be refunded right now; send the request again.")
	}
	return &LineError{Code: refused.Code.Name, Detail: refused.Detail}
}
