package order

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mailru/easyjson"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/api"
	"onrush/modules/catalogue"
)

func TestViewShowsAnOrderAsTheAPISays(t *testing.T) {
	t.Parallel()
	o := &Order{
		Number: 327119505425694720, Status: Cancelled, CancelledMS: 1_780_000_100_000, Reason: "buyer",
		Content: Content{
			Type: Seckill, Kind: catalogue.Physical, Shop: "shop-a", Activity: "act-1", GoodsAmount: 500,
			FreightAmount: 20, TotalAmount: 520, Currency: "CNY", Delivery: catalogue.Express,
			Address: &catalogue.Address{
				AddressID: "a1", Receiver: "Li", Phone: "1", Region: "east", Detail: "Road 1", IsDefault: true,
			},
			Remark: "quick", Fields: FreeFields{"size": "L"}, Room: "r1", PlacedAt: api.Millis(1_780_000_000_123),
			PayBefore: api.Millis(1_780_000_900_123),
			Items: []Item{{
				Line: 1, SKU: "sku-1", Kind: catalogue.Physical, Title: "Lamp", ImageURL: "https://x/l.png",
				Quantity: 2, Price: 250,
			}},
		},
	}
	v := NewView(o, []LogLine{{AtMS: o.CancelledMS, Actor: "buyer", Action: "cancelled", ClientIP: "10.0.0.1"}})
	got, err := json.Marshal(v)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"order_number": "327119505425694720", "type": "seckill", "kind": "physical", "status": "cancelled",
		"source": "sql", "shop_id": "shop-a", "activity_id": "act-1",
		"items": [{
			"sku_id": "sku-1", "kind": "physical", "title": "Lamp", "image_url": "https://x/l.png", "quantity": 2,
			"price": 250
		}],
		"goods_amount": 500, "freight_amount": 20, "total_amount": 520, "currency": "CNY",
		"address": {
			"address_id": "a1", "receiver": "Li", "phone": "1", "region": "east", "detail": "Road 1", "is_default": true
		},
		"delivery": "express", "remark": "quick", "fields": {"size": "L"}, "room_id": "r1",
		"events": [{"at": "2026-05-28T20:26:40.123Z", "what": "placed"},
			{"at": "2026-05-28T20:28:20.000Z", "what": "cancelled"}],
		"placed_at": "2026-05-28T20:26:40.123Z", "pay_before": "2026-05-28T20:41:40.123Z",
		"cancelled_at": "2026-05-28T20:28:20.000Z", "cancel_reason": "buyer"
	}`, string(got))
}

func TestCachedOrderIsShownUnpaid(t *testing.T) {
	t.Parallel()
	v := NewView(&Order{Number: 1, Cached: true}, nil)
	assert.Equal(t, FromCache, v.Source)
	assert.Equal(t, Unpaid, v.Status)
	assert.Equal(t, "placed", v.Events[0].What)
}

func TestContentsAreTheJSONOfTheirType(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.Just(""), rapid.String(),
		rapid.SampledFrom([]string{"<a href=\"x\">", "\xff\u2028\x00\n"}))
	rapid.Check(t, func(t *rapid.T) {
		c := Content{}
		if n := rapid.IntRange(-1, 3).Draw(t, "items"); n >= 0 {
			c.Items = make([]Item, n)
		}
		parts := []reflect.Value{reflect.ValueOf(&c).Elem()}
		for i := range c.Items {
			parts = append(parts, reflect.ValueOf(&c.Items[i]).Elem())
			c.Items[i].VoucherCodes = rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "codes")
		}
		for _, part := range parts {
			for i := range part.NumField() {
				field, name := part.Field(i), part.Type().Field(i).Name
				switch field.Kind() {
				case reflect.String:
					field.SetString(text.Draw(t, name))
				case reflect.Int64:
					field.SetInt(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 253402300799999)).Draw(t, name))
				default:
					require.Contains(t, []string{"Items", "Address", "Bundle", "Fields", "VoucherCodes", "Line"}, name)
				}
			}
		}
		if rapid.Bool().Draw(t, "has address") {
			c.Address = &catalogue.Address{AddressID: "a1", Receiver: text.Draw(t, "receiver")}
			c.Bundle = &Bundle{SKU: "set", Title: text.Draw(t, "title"), Quantity: 2, Price: 3}
			c.Fields = rapid.MapOfN(rapid.String(), rapid.String(), 0, 2).Draw(t, "fields")
		}
		got, err := easyjson.Marshal(c)
		require.NoError(t, err)
		want, err := json.Marshal(c)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
		require.NotContains(t, string(got), "<")
	})
	_, err := easyjson.Marshal(Content{PlacedAt: -1})
	require.Error(t, err)
	_, err = easyjson.Marshal(Content{PayBefore: -1})
	require.Error(t, err)
}
