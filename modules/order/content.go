package order

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"onrush/modules/catalogue"
	"onrush/web/api"
)

// Content is the part of an order in the API that never changes. It is stored beside the columns of the order
// as JSON, so that a list copies it instead of reading and encoding each field. Orders that older versions of
// the program stored have none.
type Content struct {
	Type          Type               `json:"type"`
	Kind          catalogue.Kind     `json:"kind"`
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
	PlacedAt      api.Millis         `json:"placed_at"`
	PayBefore     api.Millis         `json:"pay_before,omitzero"`
	// ClientReference is the platform's own id of the order.
	ClientReference string `json:"client_reference,omitempty"`
}

// NewContent returns the content of an order. An address or fields that can't be read are an error.
func NewContent(o *Order) (Content, error) {
	c := Content{
		Type: o.Type, Kind: o.Kind, Shop: o.Shop, Activity: o.Activity, Items: itemsWithKind(o),
		GoodsAmount: o.GoodsAmount, FreightAmount: o.FreightAmount, TotalAmount: o.TotalAmount,
		Currency: o.Currency, Delivery: o.Delivery,
		PickupPoint: o.PickupPoint, Remark: o.Remark, Room: o.Room, ShareCode: o.ShareCode, ShareSource: o.ShareSource,
		Inviter: o.Inviter, PlacedAt: api.Millis(o.PlacedMS), PayBefore: api.Millis(o.PayBeforeMS),
		ClientReference: o.ClientReference,
	}
	if o.Address != "" {
		if err := json.Unmarshal([]byte(o.Address), &c.Address); err != nil {
			return Content{}, fmt.Errorf("read address of order %s: %w", o.Number, err)
		}
	}
	if o.Fields != "" {
		if err := json.Unmarshal([]byte(o.Fields), &c.Fields); err != nil {
			return Content{}, fmt.Errorf("read fields of order %s: %w", o.Number, err)
		}
	}
	return c, nil
}

// itemsWithKind returns the items of an order; those without a kind, as in cached orders, have that of the order.
func itemsWithKind(o *Order) []Item {
	if !slices.ContainsFunc(o.Items, func(it Item) bool { return it.Kind == "" }) {
		return o.Items
	}
	items := slices.Clone(o.Items)
	for i := range items {
		items[i].Kind = cmp.Or(items[i].Kind, o.Kind)
	}
	return items
}

// maxContent bounds the stored content in bytes, below the 65,535 of its column.
const maxContent = 60_000

// storedContent returns the column content of a new order: its JSON, or nil (NULL) for an order whose content
// can't be stored. Then lists read its columns.
func storedContent(o *Order) any {
	c, err := NewContent(o)
	if err != nil {
		return nil
	}
	data, err := json.Marshal(c)
	if err != nil || len(data) > maxContent {
		return nil
	}
	return string(data)
}
