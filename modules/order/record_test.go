package order_test

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/fields"
)

// notInRecord are the fields that the record of a cached order doesn't keep, each with the reason.
var notInRecord = map[string]string{
	"Order.Version":        "the lowest that has all fields",
	"Order.Status":         "cached orders are unpaid",
	"Order.PaidMS":         "cached orders are unpaid",
	"Order.CancelledMS":    "cached orders are unpaid",
	"Order.RefundedAmount": "cached orders are unpaid",
	"Order.Reason":         "cached orders are unpaid",
	"Order.Fulfilment":     "cached orders are unpaid",
	"Order.Cached":         "whoever reads a record knows it",
}

func TestRecordKeepsEveryField(t *testing.T) {
	t.Parallel()
	want := fields.Order(t)
	data, err := order.EncodeRecord(want)
	require.NoError(t, err)
	got, err := order.DecodeRecord(data)
	require.NoError(t, err)
	fields.AssertKept(t, "record", *want, *got, notInRecord)
	for i := range reflect.TypeFor[order.Order]().NumField() {
		field := reflect.TypeFor[order.Order]().Field(i)
		if tag := field.Tag.Get("json"); field.IsExported() && field.Name != "Version" {
			assert.Equal(t, notInRecord["Order."+field.Name] != "", tag == "-", "%s has the tag %q", field.Name, tag)
		}
	}
}

// The record is as the first version of the program wrote it, byte for byte: instances of two versions run side by side
// during an upgrade, and SQL keeps the records of all versions.
func TestRecordIsThatOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	const content = `{"type":"seckill","kind":"physical","shop_id":"shop","activity_id":"sale","point_id":"0",` +
		`"items":[{"sku_id":"lamp","kind":"physical","title":"Lamp","image_url":"https://x/l","quantity":2,` +
		`"price":100,"point_id":"0"}],"goods_amount":200,"freight_amount":6,"total_amount":206,"currency":"CNY",` +
		`"address":{"address_id":"home","receiver":"Ada","phone":"1","region":"east","detail":"Road",` +
		`"is_default":true},` +
		`"delivery":"express","pickup_point_id":"north","remark":"soon","fields":{"a":"b","k":"v"},"room_id":"room",` +
		`"share_code":"code","share_source":"feed","inviter_id":"bob","placed_at":"2026-05-28T20:26:40.123Z",` +
		`"pay_before":"2026-05-28T20:41:40.123Z","client_reference":"po-1","notify_token":"form-1"}`
	const first = `{"v":1,"n":"391284598845210625","u":"ada","t":"1~a~h","dg":"digest","ip":"10.0.0.1","c":` +
		content + `}`
	o := &order.Order{
		Number: 391284598845210625, User: "ada", Task: "1~a~h", Digest: "digest", PlacedFrom: "10.0.0.1",
		Status: order.Unpaid, Cached: true, Content: order.Content{
			Type: order.Seckill, Kind: catalogue.Physical, Shop: "shop", Activity: "sale", Point: "0", GoodsAmount: 200,
			FreightAmount: 6, TotalAmount: 206, Currency: "CNY", Delivery: catalogue.Express, PickupPoint: "north",
			Address: &catalogue.Address{
				AddressID: "home", Receiver: "Ada", Phone: "1", Region: "east", Detail: "Road", IsDefault: true,
			},
			Remark: "soon", Fields: order.FreeFields{"k": "v", "a": "b"}, Room: "room", ShareCode: "code",
			ShareSource: "feed", Inviter: "bob", PlacedAt: 1780000000123, PayBefore: 1780000900123,
			ClientReference: "po-1", NotifyToken: "form-1", Items: []order.Item{{
				Line: 1, SKU: "lamp", Kind: catalogue.Physical, Title: "Lamp", ImageURL: "https://x/l", Quantity: 2,
				Price: 100, Point: "0",
			}},
		},
	}
	written, err := order.EncodeRecord(o)
	require.NoError(t, err)
	assert.Equal(t, first, string(written))                    //nolint:testifylint // byte for byte, in this order
	assert.Equal(t, content, string(order.ContentOf(written))) //nolint:testifylint // byte for byte
	read, err := order.DecodeRecord([]byte(first))
	require.NoError(t, err)
	assert.Equal(t, first, string(read.Record())) //nolint:testifylint // byte for byte
	o.Trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	o.LimitKey, o.Reserved = "AAAAAAAAAAAAAAAAAAAAAA", true
	traced, err := order.EncodeRecord(o)
	require.NoError(t, err)
	assert.Equal(t, content, string(order.ContentOf(traced))) //nolint:testifylint // byte for byte
	o.Bundle = &order.Bundle{SKU: "set", Title: "Set", Quantity: 1, Price: 200}
	traced, err = order.EncodeRecord(o)
	require.NoError(t, err)
	read, err = order.DecodeRecord(traced)
	require.NoError(t, err)
	fields.AssertKept(t, "record", *o, *read, notInRecord)
}

// Texts of the record are escaped as the first version escaped them, and what other versions escape otherwise is read.
func TestRecordsHaveTheTextsOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	o := &order.Order{Number: 7, User: "<ada>&\"\\\t\r\n\x01\x7f\u2028\xff数", Content: order.Content{
		Type: order.Seckill, Items: []order.Item{{}},
	}}
	written, err := order.EncodeRecord(o)
	require.NoError(t, err)
	assert.Contains(t, string(written), `"u":"\u003cada\u003e\u0026\"\\\t\r\n\u0001`+"\x7f"+`\u2028\ufffd数",`)
	read, err := order.DecodeStored(written)
	require.NoError(t, err)
	assert.Equal(t, "<ada>&\"\\\t\r\n\x01\x7f\u2028\ufffd数", read.User)
	read, err = order.DecodeStored([]byte(`{"u":"\u0008\b\u000c\f\/\ud83d\ude00","c":{}}`))
	require.NoError(t, err)
	assert.Equal(t, "\b\b\f\f/😀", read.User)
}

func TestMembersOfARecordAreReadByTheirTypes(t *testing.T) {
	t.Parallel()
	read, err := order.DecodeStored([]byte(`{"v":1,"new":{"c":[1]},"n":"7","u":"eve","u":"ada","t":null,` +
		`"c":{"new":[{}],"items":[{"sku_id":"lamp","new":1e9,"quantity":9223372036854775807,"price":-1}],` +
		`"address":null,"fields":null}}`))
	require.NoError(t, err)
	assert.Equal(t, order.Number(7), read.Number)
	assert.Equal(t, "ada", read.User, "the last of two")
	assert.Equal(t, []order.Item{{Line: 1, SKU: "lamp", Quantity: math.MaxInt64, Price: -1}}, read.Items)
	for _, wrong := range []string{
		`{"n":7,"c":{}}`, `{"n":"7.0","c":{}}`, `{"u":7,"c":{}}`, `{"v":1,"c":[]}`, `{"v":1,"c":{"items":{}}}`,
		`{"v":1,"c":{"items":[{"quantity":1.5}]}}`, `{"v":1,"c":{"items":[{"quantity":1e3}]}}`,
		`{"v":1,"c":{"items":[{"quantity":9223372036854775808}]}}`, `{"v":1,"c":{"items":[{"quantity":"1"}]}}`,
		`{"v":1,"c":{"placed_at":7}}`, `{"v":1,"c":{"fields":{"a":1}}}`, `{"v":1,"c":{}}x`, `{"v":1,"c":{}`,
		"{\"u\":\"\xff\",\"c\":{}}",
	} {
		_, err := order.DecodeStored([]byte(wrong))
		assert.ErrorIs(t, err, order.ErrBadRecord, wrong)
	}
}

// fieldVersions has the first version of records with each field, by its path in the JSON. A new field needs a new
// recordVersion, and a case in versionOf.
var fieldVersions = map[string]int{
	"v": 1, "n": 1, "u": 1, "t": 1, "dg": 1, "ip": 1, "c": 1,
	"tp": 1, // instances that don't know it store the record with it, and only draw no span
	"lk": 2, // instances that don't know it would count the order for its user
	"rs": 5, // instances that don't know it would not count it among the units that are reserved

	"c.type": 1, "c.kind": 1, "c.shop_id": 1, "c.activity_id": 1, "c.point_id": 1, "c.items": 1, "c.goods_amount": 1,
	"c.freight_amount": 1, "c.total_amount": 1, "c.currency": 1, "c.address": 1, "c.delivery": 1,
	"c.pickup_point_id": 1, "c.remark": 1, "c.fields": 1, "c.room_id": 1, "c.share_code": 1, "c.share_source": 1,
	"c.inviter_id": 1, "c.placed_at": 1, "c.pay_before": 1, "c.client_reference": 1, "c.notify_token": 1,

	"c.items.sku_id": 1, "c.items.kind": 1, "c.items.title": 1, "c.items.image_url": 1, "c.items.quantity": 1,
	"c.items.price": 1, "c.items.point_id": 1, "c.items.voucher_codes": 1,
	"c.items.vouchers_waiting": 1, // as voucher_codes, in no record

	"c.bundle": 4, "c.bundle.sku_id": 4, "c.bundle.title": 4, "c.bundle.quantity": 4, "c.bundle.price": 4,
	"c.address.address_id": 1, "c.address.receiver": 1, "c.address.phone": 1, "c.address.region": 1,
	"c.address.detail": 1, "c.address.is_default": 1,
}

// Each field of the record has its version, so that nobody forgets that older instances don't know a new field.
func TestEveryFieldOfTheRecordHasAVersion(t *testing.T) {
	t.Parallel()
	assert.ElementsMatch(t, pathsOf(reflect.TypeFor[order.Order](), ""), slices.Collect(maps.Keys(fieldVersions)))
	newest := slices.Max(slices.Collect(maps.Values(fieldVersions)))
	assert.Equal(t, order.RecordVersion, max(newest, order.BundleVersion),
		"the newest field, or an order of a bundle, has the version of this program")
}

// Older instances would count the order of a bundle under no limit of the bundle.
func TestTheRecordOfABundleHasItsVersion(t *testing.T) {
	t.Parallel()
	o := &order.Order{Number: 7, User: "ada", Content: order.Content{
		Type: order.Seckill, Activity: "sale",
		Items:  []order.Item{{Line: 1, SKU: "a", Quantity: 2}, {Line: 2, SKU: "b", Quantity: 1}},
		Bundle: &order.Bundle{SKU: "set", Title: "Set", Quantity: 1, Price: 9},
	}}
	written, err := order.EncodeRecord(o)
	require.NoError(t, err)
	assert.Contains(t, string(written), `{"v":4,`)
	read, err := order.DecodeRecord(written)
	require.NoError(t, err)
	assert.Equal(t, o.Bundle, read.Bundle)
	sku, units := read.Takes()
	assert.Equal(t, "set=1,a*2,b*1", sku)
	assert.EqualValues(t, 3, units)
	o.Bundle, o.Reserved = nil, true
	written, err = order.EncodeRecord(o)
	require.NoError(t, err)
	assert.Contains(t, string(written), `{"v":5,`, "of the highest of what the order has")
	o.Bundle, o.Reserved = read.Bundle, false
	o.Bundle.Quantity = -1
	written, err = order.EncodeRecord(o)
	require.NoError(t, err)
	_, err = order.DecodeRecord(written)
	require.ErrorIs(t, err, order.ErrBadRecord)
}

// pathsOf returns the paths of the fields of a struct in its JSON.
func pathsOf(of reflect.Type, under string) (paths []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		paths = append(paths, under+name)
		inner := field.Type
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			paths = append(paths, pathsOf(inner, under+name+".")...)
		}
	}
	return paths
}

func TestOlderInstancesStoreOnlyRecordsOfTheFieldsThatTheyKnow(t *testing.T) {
	t.Parallel()
	for path, version := range fieldVersions {
		o := &order.Order{Content: order.Content{Type: order.Seckill}}
		setField(t, reflect.ValueOf(o).Elem(), strings.Split(path, "."))
		assert.Equal(t, version, order.VersionOf(o), path)
		o.Reserved = true
		assert.Equal(t, order.RecordVersion, order.VersionOf(o), "of the newest of two fields: %s", path)
	}
	o := &order.Order{Content: order.Content{Type: order.Seckill, Items: []order.Item{{SKU: "a"}, {ImageURL: "b"}}}}
	assert.Equal(t, 3, order.VersionOf(o), "older instances know sales of one item only")
	o.Type = order.Ordinary
	assert.Equal(t, 1, order.VersionOf(o))
}

// setField gives the field at a path of names in the JSON a value, and those that it is in one item.
func setField(t *testing.T, v reflect.Value, path []string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		setField(t, v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		setField(t, v.Index(0), path)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if len(path) > 0 && name == path[0] {
				setField(t, v.Field(i), path[1:])
				return
			}
		}
		require.Empty(t, path, "no such field")
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	default:
		require.Fail(t, "a field of a kind that the test doesn't know", "%v %s", path, v.Kind())
	}
}

func TestRecordsAreTheJSONOfTheirType(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.Just(""), rapid.String(),
		rapid.SampledFrom([]string{"<a href=\"x\">", "\xff\u2028\x00\n", `,"c":`, `","c":{`}))
	rapid.Check(t, func(t *rapid.T) {
		o := &order.Order{Content: order.Content{Items: []order.Item{{}}}}
		for _, part := range []reflect.Value{
			reflect.ValueOf(o).Elem(), reflect.ValueOf(&o.Content).Elem(), reflect.ValueOf(&o.Items[0]).Elem(),
		} {
			for i := range part.NumField() {
				field, name := part.Field(i), part.Type().Field(i).Name
				switch {
				case field.Kind() == reflect.String && field.CanSet():
					field.SetString(text.Draw(t, name))
				case field.Kind() == reflect.Int64 && (name == "PlacedAt" || name == "PayBefore"):
					field.SetInt(rapid.Int64Range(0, 253402300799999).Draw(t, name))
				case field.Kind() == reflect.Int64:
					field.SetInt(rapid.Int64().Draw(t, name))
				}
			}
		}
		o.Type = order.Seckill
		got, err := order.EncodeRecord(o)
		require.NoError(t, err)
		want, err := json.Marshal(o)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
		want, err = json.Marshal(o.Content)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(order.ContentOf(got)), "it is found behind any text")
	})
}
