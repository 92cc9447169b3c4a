package order

import (
	"onrush/modules/api"
)

// The sources of a View.
const (
	FromCache = "cache"
	FromSQL   = "sql"
)

// State is the part of an order in the API that changes.
type State struct {
	Number      Number     `json:"order_number"`
	Status      Status     `json:"status"`
	Source      string     `json:"source"`
	PaidAt      api.Millis `json:"paid_at,omitzero"`
	CancelledAt api.Millis `json:"cancelled_at,omitzero"`
	// CancelReason says why the order was cancelled, or why it failed.
	CancelReason string `json:"cancel_reason,omitempty"`
	// VoucherCode is the first of the voucher codes of the items.
	VoucherCode string `json:"voucher_code,omitempty"`
	// RefundedAmount is the amount that was refunded or is on its way back; absent if 0.
	RefundedAmount int64 `json:"refunded_amount,omitzero"`
	// Fulfilment is how far a paid order has come; absent before it is packed.
	Fulfilment *Fulfilment `json:"fulfilment,omitempty"`
}

// View is an order in the API. In lists, package myorders writes the same JSON without Events.
type View struct {
	State
	Content
	AddressOpen bool          `json:"address_open,omitzero"` // the buyer may change the address now
	Events      []ViewLogLine `json:"events"`
}

// ViewLogLine is one line of an order's log.
type ViewLogLine struct {
	At   api.Millis `json:"at"`
	What string     `json:"what"`
}

// StateOf returns what may change of an order.
func StateOf(o *Order) State {
	s := State{
		Number: o.Number, Status: o.Status, Source: FromSQL, PaidAt: api.Millis(o.PaidMS),
		CancelledAt: api.Millis(o.CancelledMS), CancelReason: o.Reason, VoucherCode: FirstVoucher(o.Items),
		RefundedAmount: o.RefundedAmount, Fulfilment: o.Fulfilment,
	}
	if o.Cached {
		s.Source, s.Status = FromCache, Unpaid
	}
	return s
}

// NewView returns the view of an order; lines are its log after the placing, oldest first.
func NewView(o *Order, lines []LogLine) View {
	v := View{State: StateOf(o), Content: o.Content, Events: make([]ViewLogLine, 0, len(lines)+1)}
	v.Events = append(v.Events, ViewLogLine{At: v.PlacedAt, What: "placed"})
	for _, e := range lines {
		v.Events = append(v.Events, ViewLogLine{At: api.Millis(e.AtMS), What: e.Action})
	}
	return v
}
