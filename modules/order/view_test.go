package order

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
)

func TestViewShowsAnOrderAsTheAPISays(t *testing.T) {
	t.Parallel()
	o := &Order{
		Number: 327119505425694720, Type: Seckill, Kind: catalogue.Physical, Status: Cancelled, Shop: "shop-a",
		Activity: "act-1", GoodsAmount: 500, FreightAmount: 20, TotalAmount: 520,
		Currency: "CNY", Delivery: catalogue.Express,
		Address: `{"address_id":"a1","receiver":"Li","phone":"1","region":"east","detail":"Road 1","is_default":true}`,
		Remark:  "quick", Fields: `{"size":"L"}`, Room: "r1", PlacedMS: 1_780_000_000_123,
		PayBeforeMS: 1_780_000_900_123, CancelledMS: 1_780_000_100_000, Reason: "buyer",
		Items: []Item{{
			Order: 1, Line: 1, SKU: "sku-1", Kind: catalogue.Physical, Title: "Lamp", ImageURL: "https://x/l.png",
			Quantity: 2, Price: 250,
		}},
	}
	v, err := NewView(o, []Event{{AtMS: o.CancelledMS, Actor: "buyer", Action: "cancelled", ClientIP: "10.0.0.1"}})
	require.NoError(t, err)
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

func TestARefundedOrderWasNotCancelled(t *testing.T) {
	t.Parallel()
	v, err := NewView(&Order{Number: 1, Status: Refunded, PaidMS: 5, CancelledMS: 7, Reason: "refunded"}, nil)
	require.NoError(t, err)
	got, err := json.Marshal(v)
	require.NoError(t, err)
	assert.NotContains(t, string(got), "cancel")
}

func TestCachedOrderIsShownUnpaid(t *testing.T) {
	t.Parallel()
	v, err := NewView(&Order{Number: 1, Cached: true}, nil)
	require.NoError(t, err)
	assert.Equal(t, FromCache, v.Source)
	assert.Equal(t, Unpaid, v.Status)
	assert.Equal(t, "placed", v.Events[0].What)
}

func TestViewRefusesAddressAndFieldsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, err := NewView(&Order{Address: "{"}, nil)
	require.Error(t, err)
	_, err = NewView(&Order{Fields: "[]"}, nil)
	assert.Error(t, err)
}
