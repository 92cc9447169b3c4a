package order

import (
	"onrush/web/api"
)

// The sources of a View.
const (
	FromCache = "cache"
	FromSQL   = "sql"
)

// View is an order in the API. In lists, package myorders writes the same JSON without Events.
type View struct {
	Number Number `json:"order_number"`
	Status Status `json:"status"`
	Source string `json:"source"`
	Content
	Events      []ViewEvent `json:"events"`
	PaidAt      api.Millis  `json:"paid_at,omitzero"`
	CancelledAt api.Millis  `json:"cancelled_at,omitzero"`
	// VoucherCode is the first of the voucher codes of the items.
	VoucherCode string `json:"voucher_code,omitempty"`
	// CancelReason says why the order was cancelled, or why it failed.
	CancelReason string `json:"cancel_reason,omitempty"`
	// RefundedAmount is the amount that was refunded or is on its way back; absent if 0.
	RefundedAmount int64 `json:"refunded_amount,omitzero"`
}

// ViewEvent is one line of an order's log.
type ViewEvent struct {
	At   api.Millis `json:"at"`
	What string     `json:"what"`
}

// NewView returns the view of an order; events are the log after the placing, oldest first. An address
// or fields that can't be read are an error.
func NewView(o *Order, events []Event) (View, error) {
	c, err := NewContent(o)
	if err != nil {
		return View{}, err
	}
	v := View{
		Number: o.Number, Status: o.Status, Source: FromSQL, Content: c, PaidAt: api.Millis(o.PaidMS),
		VoucherCode: FirstVoucher(o.Items),
	}
	v.CancelledAt, v.CancelReason = Cancellation(o.Status, o.CancelledMS, o.Reason)
	v.RefundedAmount = RefundOf(o.Status, o.TotalAmount, o.RefundedAmount)
	if o.Cached {
		v.Source, v.Status = FromCache, Unpaid
	}
	v.Events = make([]ViewEvent, 0, len(events)+1)
	v.Events = append(v.Events, ViewEvent{At: v.PlacedAt, What: "placed"})
	for _, e := range events {
		v.Events = append(v.Events, ViewEvent{At: api.Millis(e.AtMS), What: e.Action})
	}
	return v, nil
}

// Cancellation returns when and why an order was cancelled, as the API shows it. Earlier releases stored the
// time of a refund in cancelled_ms.
func Cancellation(status Status, cancelledMS int64, reason string) (at api.Millis, why string) {
	if status == Refunded {
		return 0, ""
	}
	return api.Millis(cancelledMS), reason
}

// RefundOf returns the refunded amount of an order. Older versions refund whole orders and don't store the amount.
func RefundOf(status Status, total, refunded int64) int64 {
	if status == Refunded {
		return total
	}
	return refunded
}
