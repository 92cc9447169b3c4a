package seckill

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/sign"
)

// Answers keep their bytes, and confirmations are opened by instances of other versions.
func TestAnswersToBuyersHaveTheBytesOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	const escaped = `\u003ca\u003e\u0026\"\\\u2028\ufffd数`
	text := "<a>&\"\\\u2028\xff数"
	home := &catalogue.Address{AddressID: "a1", Receiver: text, Phone: "1", Region: "east", Detail: "Road"}
	const address = `{"address_id":"a1","receiver":"` + escaped +
		`","phone":"1","region":"east","detail":"Road","is_default":false}`
	for want, of := range map[string]any{
		`{"path":"p.q","expires_at":"2026-05-28T20:26:40.123Z"}`: Path{Path: "p.q", ExpiresAt: 1_780_000_000_123},
		`{"task_id":"t.m","order_number":"7","status":"SUBMITTED","refresh_after_ms":300}`: &Submitted{
			TaskID: "t.m", OrderNumber: 7, Status: TaskSubmitted, RefreshAfterMS: 300,
		},
		`{"task_id":"t.m","order_number":"7","status":"SUBMITTED","refresh_after_ms":0,"replayed":true}`: &Submitted{
			TaskID: "t.m", OrderNumber: 7, Status: TaskSubmitted, Replayed: true,
		},
		`{"task_id":"t.m","status":"FAILED","order_number":"7","reason":"no_stock","refresh_after_ms":0}`: &Task{
			TaskID: "t.m", Status: TaskFailed, OrderNumber: 7, Reason: "no_stock",
		},
		`{"items":[{"sku_id":"lamp","kind":"physical","title":"` + escaped + `","image_url":"","quantity":2,` +
			`"price":100,"point_id":"0"}],"point_id":"0","delivery":"express","address":` + address +
			`,"goods_amount":200,"freight_amount":6,"total_amount":206,"currency":"CNY","confirmation":"c.d",` +
			`"expires_at":"2026-05-28T20:26:40.123Z"}`: &Confirmed{
			Items: []order.Item{{
				Line: 1, SKU: "lamp", Kind: catalogue.Physical, Title: text, Quantity: 2, Price: 100, Point: "0",
			}},
			PointID: "0", Delivery: catalogue.Express, Address: home, GoodsAmount: 200, FreightAmount: 6,
			TotalAmount: 206, Currency: "CNY", Confirmation: "c.d", ExpiresAt: 1_780_000_000_123,
		},
	} {
		written, err := json.Marshal(of)
		require.NoError(t, err)
		assert.Equal(t, want, string(written))
	}

	sealed, _, _ := strings.Cut(testSigner.sealQuote(quote{
		User: "ada", Activity: "sale", SKU: "lamp", Kind: catalogue.Physical, Currency: "CNY", Quantity: 2, Price: 100,
		Freight: 6, Delivery: catalogue.Express, Point: "0", PickupPoint: "north", Address: home, ExpiresMS: 1,
	}), ".")
	written, err := sign.Decode(sealed)
	require.NoError(t, err)
	//nolint:testifylint // byte for byte
	assert.Equal(t, `{"u":"ada","a":"sale","s":"lamp","i":"physical","c":"CNY","q":2,"p":100,"f":6,"d":"express",`+
		`"o":"0","k":"north","r":`+address+`,"x":1}`, string(written))
}
