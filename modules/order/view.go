package order

import (
	"encoding/json"
	"fmt"

	"onrush/modules/catalogue"
	"onrush/web/api"
)

// The sources of a View.
const (
	FromCache = "cache"
	FromSQL   = "sql"
)

// View is an order in the API.
type View struct {
	Number        Number             `json:"order_number"`
	Type          Type               `json:"type"`
	Kind          catalogue.Kind     `json:"kind"`
	Status        Status             `json:"status"`
	Source        string             `json:"source"`
	Shop          string             `json:"shop_id"`
	Activity      string             `json:"activity_id,omitempty"`
	Items         []Item             `json:"items"`
	GoodsAmount   int64              `json:"goods_amount"`
	FreightAmount int64              `json:"freight_amount"`
	TotalAmount   int64              `json:"total_amount"`
	Currency      string             `json:"currency"`
	Address       *catalogue.Address `json:"address,omitempty"`
	Delivery      catalogue.Delivery `json:"delivery"`
	PickupPoint   string             `json:"pickup_point_id,omitempty"`
	Remark        string             `json:"remark,omitempty"`
	Fields        map[string]string  `json:"fields,omitempty"`
	Room          string             `json:"room_id,omitempty"`
	ShareCode     string             `json:"share_code,omitempty"`
	ShareSource   string             `json:"share_source,omitempty"`
	Inviter       string             `json:"inviter_id,omitempty"`
	Events        []ViewEvent        `json:"events"`
	PlacedAt      api.Millis         `json:"placed_at"`
	PayBefore     api.Millis         `json:"pay_before,omitzero"`
	PaidAt        api.Millis         `json:"paid_at,omitzero"`
	CancelledAt   api.Millis         `json:"cancelled_at,omitzero"`
	// VoucherCode is the first of the voucher codes of the items.
	VoucherCode string `json:"voucher_code,omitempty"`
	// ClientReference is the platform's own id of the order.
	ClientReference string `json:"client_reference,omitempty"`
	// CancelReason says why the order was cancelled, or why it failed.
	CancelReason string `json:"cancel_reason,omitempty"`
}

// ViewEvent is one line of an order's log.
type ViewEvent struct {
	At   api.Millis `json:"at"`
	What string     `json:"what"`
}

// NewView returns the view of an order; events are the log after the placing, oldest first. An address
// or fields that can't be read are an error.
func NewView(o *Order, events []Event) (View, error) {
	v := View{
		Number: o.Number, Type: o.Type, Kind: o.Kind, Status: o.Status, Source: FromSQL, Shop: o.Shop,
		Activity: o.Activity, Items: o.Items, GoodsAmount: o.GoodsAmount, FreightAmount: o.FreightAmount,
		TotalAmount: o.TotalAmount, Currency: o.Currency, Delivery: o.Delivery, PickupPoint: o.PickupPoint,
		Remark: o.Remark, Room: o.Room, ShareCode: o.ShareCode, ShareSource: o.ShareSource, Inviter: o.Inviter,
		PlacedAt: api.Millis(o.PlacedMS), PayBefore: api.Millis(o.PayBeforeMS), PaidAt: api.Millis(o.PaidMS),
		CancelledAt: api.Millis(o.CancelledMS), CancelReason: o.Reason, VoucherCode: firstVoucher(o.Items),
		ClientReference: o.ClientReference,
	}
	if o.Status == Refunded { // earlier releases stored the time of the refund in cancelled_ms
		v.CancelledAt, v.CancelReason = 0, ""
	}
	if o.Cached {
		v.Source, v.Status = FromCache, Unpaid
	}
	if o.Address != "" {
		if err := json.Unmarshal([]byte(o.Address), &v.Address); err != nil {
			return View{}, fmt.Errorf("read address of order %s: %w", o.Number, err)
		}
	}
	if o.Fields != "" {
		if err := json.Unmarshal([]byte(o.Fields), &v.Fields); err != nil {
			return View{}, fmt.Errorf("read fields of order %s: %w", o.Number, err)
		}
	}
	v.Events = make([]ViewEvent, 0, len(events)+1)
	v.Events = append(v.Events, ViewEvent{At: v.PlacedAt, What: "placed"})
	for _, e := range events {
		v.Events = append(v.Events, ViewEvent{At: api.Millis(e.AtMS), What: e.Action})
	}
	return v, nil
}
