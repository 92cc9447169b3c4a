package order_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/fields"
)

// notInRecord are the fields that the record omits, each with the reason.
var notInRecord = map[string]string{
	"Order.Type":           "cached orders are seckill orders",
	"Order.Status":         "cached orders are unpaid",
	"Order.TotalAmount":    "the sum of two others",
	"Order.SearchName":     "follows from the title",
	"Order.PaidMS":         "cached orders are unpaid",
	"Order.CancelledMS":    "cached orders are unpaid",
	"Order.RefundedAmount": "cached orders are unpaid",
	"Order.Reason":         "cached orders are unpaid",
	"Order.Items":          "the record has one item under a name of its own",
	"Order.Cached":         "whoever reads a record knows it",
	"Item.Order":           "the order's number",
	"Item.Line":            "there is one item",
	"Item.Kind":            "the order's kind",
	"Item.Point":           "the order's point",
	"Item.VoucherCodes":    "paid orders have them",
}

func TestRecordKeepsEveryField(t *testing.T) {
	t.Parallel()
	want := fields.Order(t)
	want.TotalAmount = want.GoodsAmount + want.FreightAmount
	data, err := order.EncodeRecord(want)
	require.NoError(t, err)
	got, err := order.DecodeRecord(data)
	require.NoError(t, err)
	fields.AssertKept(t, "record", *want, *got, notInRecord)
	require.Len(t, got.Items, 1)
	fields.AssertKept(t, "record", want.Items[0], got.Items[0], notInRecord)
	assertNamed(t, order.Order{})
	assertNamed(t, order.RecordItem)
}

// assertNamed asserts that the fields without a name in the record are exactly the keys of notInRecord.
func assertNamed(t *testing.T, part any) {
	t.Helper()
	what := map[string]string{"Order": "Order", "recordItem": "Item"}[reflect.TypeOf(part).Name()]
	for i := range reflect.TypeOf(part).NumField() {
		field := reflect.TypeOf(part).Field(i)
		tag := field.Tag.Get("json")
		require.NotEmpty(t, tag, "%s.%s needs a name in the record", what, field.Name)
		assert.Equal(t, tag == "-", notInRecord[what+"."+field.Name] != "", "%s.%s has the tag %q",
			what, field.Name, tag)
	}
}

// The record is as the first version of the program wrote it. Both its readers and its writers depend on
// it: instances of two versions run side by side during an upgrade.
func TestRecordIsThatOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	const first = `{"v":1,"n":"391284598845210625","u":"ada","t":"1.a.h.m","dg":"digest","k":"physical","s":"shop",` +
		`"a":"sale","p":"0",` +
		`"g":200,"f":6,"c":"CNY","d":"express","pp":"north","ad":"{}","r":"soon","fl":"{\"k\":\"v\"}","ro":"room",` +
		`"sc":"code","ss":"feed",` +
		`"iv":"bob","at":1780000000123,"ip":"10.0.0.1","pb":1780000900123,"i":{"s":"lamp","t":"Lamp",` +
		`"u":"https://x/l","q":2,"p":100}}`
	o, err := order.DecodeRecord([]byte(first))
	require.NoError(t, err)
	assert.Equal(t, &order.Order{
		Number: 391284598845210625, User: "ada", Task: "1.a.h.m", Digest: "digest", Type: order.Seckill,
		Kind: catalogue.Physical, Status: order.Unpaid, Shop: "shop", Activity: "sale", Point: "0", GoodsAmount: 200,
		FreightAmount: 6, TotalAmount: 206, Currency: "CNY", Delivery: catalogue.Express, PickupPoint: "north",
		Address: "{}", Remark: "soon", Fields: `{"k":"v"}`, Room: "room", ShareCode: "code", ShareSource: "feed",
		Inviter: "bob", SearchName: "lamp", PlacedMS: 1780000000123, PlacedFrom: "10.0.0.1",
		PayBeforeMS: 1780000900123, Cached: true, Items: []order.Item{{
			Order: 391284598845210625, SKU: "lamp", Kind: catalogue.Physical, Title: "Lamp", ImageURL: "https://x/l",
			Quantity: 2, Price: 100, Point: "0",
		}},
	}, o)
	again, err := order.EncodeRecord(o)
	require.NoError(t, err)
	assert.Equal(t, first, string(again)) //nolint:testifylint // byte for byte, in this order
}

func TestOlderInstancesStoreOnlyRecordsOfTheFieldsThatTheyKnow(t *testing.T) {
	t.Parallel()
	o := &order.Order{
		Number: 1, User: "u", Activity: "a", Type: order.Seckill, Items: []order.Item{{SKU: "s", Quantity: 1}},
	}
	data, err := order.EncodeRecord(o)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"v":1,`)
	assert.NotContains(t, string(data), `"cr"`)
	o.ClientReference = "po-1"
	data, err = order.EncodeRecord(o)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"v":2,`)
	assert.Contains(t, string(data), `"cr":"po-1"`)
	o.NotifyToken = "form-1"
	data, err = order.EncodeRecord(o)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"v":3,`)
	assert.Contains(t, string(data), `"nt":"form-1"`)
}

// Readers of all versions use JSON decoders, so a record may be written by hand.
func TestRecordsAreTheJSONOfTheirType(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.Just(""), rapid.String(),
		rapid.SampledFrom([]string{"<a href=\"x\">", "\xff\u2028\x00\n"}))
	rapid.Check(t, func(t *rapid.T) {
		o := &order.Order{Type: order.Seckill, Items: []order.Item{{}}}
		for _, part := range []reflect.Value{reflect.ValueOf(o).Elem(), reflect.ValueOf(&o.Items[0]).Elem()} {
			for i := range part.NumField() {
				switch field, name := part.Field(i), part.Type().Field(i).Name; {
				case name == "Type":
				case field.Kind() == reflect.String:
					field.SetString(text.Draw(t, name))
				case field.Kind() == reflect.Int64:
					field.SetInt(rapid.Int64().Draw(t, name))
				}
			}
		}
		got, err := order.EncodeRecord(o)
		require.NoError(t, err)
		want, err := order.MarshalRecord(o)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
	})
}
