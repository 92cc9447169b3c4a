package order

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

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
	Point         string             `json:"point_id,omitempty"` // the stock point that the goods come from
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
	NotifyToken     string `json:"notify_token,omitempty"`
}

// NewContent returns the content of an order. An address or fields that can't be read are an error.
func NewContent(o *Order) (Content, error) {
	c := Content{
		Type: o.Type, Kind: o.Kind, Shop: o.Shop, Activity: o.Activity, Point: o.Point,
		Items:       completeItems(o),
		GoodsAmount: o.GoodsAmount, FreightAmount: o.FreightAmount, TotalAmount: o.TotalAmount,
		Currency: o.Currency, Delivery: o.Delivery,
		PickupPoint: o.PickupPoint, Remark: o.Remark, Room: o.Room, ShareCode: o.ShareCode, ShareSource: o.ShareSource,
		Inviter: o.Inviter, PlacedAt: api.Millis(o.PlacedMS), PayBefore: api.Millis(o.PayBeforeMS),
		ClientReference: o.ClientReference, NotifyToken: o.NotifyToken,
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

// completeItems returns the items of an order; items without a kind or a point get the order's.
func completeItems(o *Order) []Item {
	if !slices.ContainsFunc(o.Items, func(it Item) bool { return it.Kind == "" || it.Point != o.Point }) {
		return o.Items
	}
	items := slices.Clone(o.Items)
	for i := range items {
		items[i].Kind, items[i].Point = cmp.Or(items[i].Kind, o.Kind), o.Point
	}
	return items
}

// EncodeContent returns the JSON of a content, in the order of its fields, without the reflection of encoding/json:
// each order that moves to SQL has one.
func EncodeContent(c *Content) ([]byte, error) {
	b := appendText(make([]byte, 0, 1024), `{"type":`, string(c.Type))
	b = appendText(b, `,"kind":`, string(c.Kind))
	b = appendText(b, `,"shop_id":`, c.Shop)
	b = api.AppendText(b, `,"activity_id":`, c.Activity)
	b = api.AppendText(b, `,"point_id":`, c.Point)
	b = appendItems(append(b, `,"items":`...), c.Items)
	b = strconv.AppendInt(append(b, `,"goods_amount":`...), c.GoodsAmount, 10)
	b = strconv.AppendInt(append(b, `,"freight_amount":`...), c.FreightAmount, 10)
	b = strconv.AppendInt(append(b, `,"total_amount":`...), c.TotalAmount, 10)
	b = appendText(b, `,"currency":`, c.Currency)
	var err error
	if c.Address != nil {
		if b, err = appendJSON(b, `,"address":`, c.Address); err != nil {
			return nil, err
		}
	}
	b = appendText(b, `,"delivery":`, string(c.Delivery))
	b = api.AppendText(b, `,"pickup_point_id":`, c.PickupPoint)
	b = api.AppendText(b, `,"remark":`, c.Remark)
	if len(c.Fields) > 0 {
		if b, err = appendJSON(b, `,"fields":`, c.Fields); err != nil {
			return nil, err
		}
	}
	b = api.AppendText(b, `,"room_id":`, c.Room)
	b = api.AppendText(b, `,"share_code":`, c.ShareCode)
	b = api.AppendText(b, `,"share_source":`, c.ShareSource)
	b = api.AppendText(b, `,"inviter_id":`, c.Inviter)
	if b, err = appendJSON(b, `,"placed_at":`, c.PlacedAt); err != nil {
		return nil, err
	}
	if c.PayBefore != 0 {
		if b, err = appendJSON(b, `,"pay_before":`, c.PayBefore); err != nil {
			return nil, err
		}
	}
	b = api.AppendText(b, `,"client_reference":`, c.ClientReference)
	b = api.AppendText(b, `,"notify_token":`, c.NotifyToken)
	return append(b, '}'), nil
}

// appendItems appends the JSON of the items.
func appendItems(b []byte, items []Item) []byte {
	if items == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i := range items {
		it := &items[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, `{"sku_id":`, it.SKU)
		b = appendText(b, `,"kind":`, string(it.Kind))
		b = appendText(b, `,"title":`, it.Title)
		b = appendText(b, `,"image_url":`, it.ImageURL)
		b = strconv.AppendInt(append(b, `,"quantity":`...), it.Quantity, 10)
		b = strconv.AppendInt(append(b, `,"price":`...), it.Price, 10)
		b = api.AppendText(b, `,"point_id":`, it.Point)
		for k, code := range it.VoucherCodes {
			if k == 0 {
				b = append(b, `,"voucher_codes":[`...)
			} else {
				b = append(b, ',')
			}
			b = appendText(b, "", code)
		}
		if len(it.VoucherCodes) > 0 {
			b = append(b, ']')
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendJSON appends a member with the JSON of a value.
func appendJSON(b []byte, member string, value any) ([]byte, error) {
	var data []byte
	var err error
	if own, ok := value.(json.Marshaler); ok {
		data, err = own.MarshalJSON()
	} else {
		data, err = json.Marshal(value)
	}
	return append(append(b, member...), data...), err
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
	data, err := EncodeContent(&c)
	if err != nil || len(data) > maxContent {
		return nil
	}
	return string(data)
}
