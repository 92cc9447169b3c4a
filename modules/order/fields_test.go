package order

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/web/api"
)

// These tests follow every field of an order through the record, SQL and the views, and name the one that
// got lost on the way. A new field needs no change here, unless it stays out of one of them on purpose.

// Fields that one of the ways leaves out, each with the reason.
var (
	notInRecord = map[string]string{
		"Order.Type":        "cached orders are seckill orders",
		"Order.Status":      "cached orders are unpaid",
		"Order.TotalAmount": "the sum of two others",
		"Order.SearchName":  "follows from the title",
		"Order.PaidMS":      "cached orders are unpaid",
		"Order.CancelledMS": "cached orders are unpaid",
		"Order.Reason":      "cached orders are unpaid",
		"Order.Items":       "the record has one item under a name of its own",
		"Order.Cached":      "whoever reads a record knows it",
		"Item.Order":        "the order's number",
		"Item.Line":         "there is one item",
		"Item.Kind":         "the order's kind",
		"Item.VoucherCodes": "paid orders have them",
	}
	notInSQL = map[string]string{
		"Order.Cached": "of orders in Redis",
	}
	notInOperatorView = map[string]string{
		"Order.Task":       "names the submit, for its buyer",
		"Order.Digest":     "only distinguishes requests",
		"Order.Point":      "internal: which stock it was taken from",
		"Order.SearchName": "the titles once more",
		"Order.Address":    "shown field by field",
		"Order.Fields":     "shown field by field",
		"Order.Items":      "shown field by field",
		"Order.Cached":     "shown as source",
		"Item.Order":       "the order's number",
		"Item.Line":        "the place in the list",
		"Event.Order":      "the order's number",
		"Event.Seq":        "the place in the list",
	}
	// onlyForOperators are not in a buyer's view.
	onlyForOperators = map[string]string{
		"Order.User":       "the buyer knows",
		"Order.PlacedFrom": "an address of the network",
		"Event.Actor":      "names of operators",
		"Event.ClientIP":   "an address of the network",
	}
)

func TestRecordKeepsEveryField(t *testing.T) {
	t.Parallel()
	want := filledOrder(t)
	want.TotalAmount = want.GoodsAmount + want.FreightAmount
	data, err := EncodeRecord(want)
	require.NoError(t, err)
	got, err := DecodeRecord(data)
	require.NoError(t, err)
	assertKept(t, "record", *want, *got, notInRecord)
	require.Len(t, got.Items, 1)
	assertKept(t, "record", want.Items[0], got.Items[0], notInRecord)
	assertNamed(t, Order{})
	assertNamed(t, recordItem{})
}

// assertNamed holds the fields of a record's struct that have no name there against notInRecord.
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
	o, err := DecodeRecord([]byte(first))
	require.NoError(t, err)
	assert.Equal(t, &Order{
		Number: 391284598845210625, User: "ada", Task: "1.a.h.m", Digest: "digest", Type: Seckill,
		Kind: catalogue.Physical, Status: Unpaid, Shop: "shop", Activity: "sale", Point: "0", GoodsAmount: 200,
		FreightAmount: 6, TotalAmount: 206, Currency: "CNY", Delivery: catalogue.Express, PickupPoint: "north",
		Address: "{}", Remark: "soon", Fields: `{"k":"v"}`, Room: "room", ShareCode: "code", ShareSource: "feed",
		Inviter: "bob", SearchName: "lamp", PlacedMS: 1780000000123, PlacedFrom: "10.0.0.1",
		PayBeforeMS: 1780000900123, Cached: true, Items: []Item{{
			Order: 391284598845210625, SKU: "lamp", Kind: catalogue.Physical, Title: "Lamp", ImageURL: "https://x/l",
			Quantity: 2, Price: 100,
		}},
	}, o)
	again, err := EncodeRecord(o)
	require.NoError(t, err)
	assert.Equal(t, first, string(again)) //nolint:testifylint // byte for byte, in this order
}

func TestSQLAndTheViewsKeepEveryField(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		want := filledOrder(t)
		event := Event{
			Order: want.Number, Seq: 1, AtMS: want.PlacedMS + 77, Actor: "who", Action: "what", ClientIP: "10.9.8.7",
		}
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			if err := Insert(ctx, tx, []*Order{want}); err != nil {
				return err
			}
			const voucher = `INSERT INTO vouchers (order_number, line, unit, code, status)
				VALUES (?, 1, 1, ?, 'active')`
			if _, err := tx.ExecContext(ctx, voucher, want.Number, want.Items[0].VoucherCodes[0]); err != nil {
				return err
			}
			return AddEvent(ctx, tx, event)
		}))
		orders := NewOrders(s.DB, nil, nil, nil)
		got, events, err := orders.stored(ctx, want.Number)
		require.NoError(t, err)
		assertKept(t, "SQL", *want, *got, notInSQL)
		require.Len(t, got.Items, 1)
		assertKept(t, "SQL", want.Items[0], got.Items[0], notInSQL)
		require.Len(t, events, 1)
		assertKept(t, "SQL", event, events[0], notInSQL)

		var address catalogue.Address
		require.NoError(t, json.Unmarshal([]byte(want.Address), &address))
		var fields map[string]string
		require.NoError(t, json.Unmarshal([]byte(want.Fields), &fields))
		require.NotEmpty(t, fields)

		buyers, err := orders.Get(ctx, want.User, want.Number)
		require.NoError(t, err)
		operators, err := orders.OperatorList(ctx, OperatorFilter{}, api.Page{Page: 1, Size: 1})
		require.NoError(t, err)
		require.Len(t, operators.Items, 1)
		for view, shown := range map[string]any{"the buyer's view": buyers, "the operators' view": operators.Items[0]} {
			absent := func(field string) bool {
				return notInOperatorView[field] != "" || view == "the buyer's view" && onlyForOperators[field] != ""
			}
			values := valuesOf(t, shown)
			for _, part := range []any{*want, want.Items[0], event, address} {
				assertShown(t, view, part, values, absent)
			}
			for _, value := range fields {
				assert.True(t, values[value], "%s lacks a free field", view)
			}
		}
	})
}

// filledOrder is an order with a value in every field that no other field has.
func filledOrder(t *testing.T) *Order {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f := &filler{next: int64(rand.New(rand.NewPCG(seed, 0)).IntN(20_000))}
	o := &Order{Items: make([]Item, 1)}
	f.fill(t, reflect.ValueOf(o).Elem())
	o.Type, o.Kind, o.Status = Seckill, catalogue.Physical, Paid // fields that differ between the stores
	var address catalogue.Address
	f.fill(t, reflect.ValueOf(&address).Elem())
	data, err := json.Marshal(address)
	require.NoError(t, err)
	o.Address, o.Fields = string(data), fmt.Sprintf(`{"key":"%s"}`, f.text())
	o.Items[0].Order, o.Items[0].Line, o.Items[0].Kind = o.Number, 1, catalogue.Voucher
	return o
}

// filler draws values that are unlike each other.
type filler struct{ next int64 }

// text fits into the shortest column, a currency.
func (f *filler) text() string {
	f.next++
	return "x" + strconv.FormatInt(f.next%(36*36), 36)
}

func (f *filler) fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(t, v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		f.fill(t, v.Index(0))
	case reflect.String:
		v.SetString(f.text())
	case reflect.Int, reflect.Int64:
		f.next++
		v.SetInt(1000 + f.next)
	case reflect.Bool:
		v.SetBool(true)
	default:
		require.Fail(t, "no value for a field of type "+v.Type().String())
	}
}

// assertKept compares two structs field by field.
func assertKept(t *testing.T, where string, want, got any, absent map[string]string) {
	t.Helper()
	w, g := reflect.ValueOf(want), reflect.ValueOf(got)
	for i := range w.NumField() {
		field := w.Type().Name() + "." + w.Type().Field(i).Name
		if absent[field] != "" {
			continue
		}
		require.False(t, w.Field(i).IsZero(), "%s is filled", field)
		assert.Equal(t, w.Field(i).Interface(), g.Field(i).Interface(), "%s is lost in the %s", field, where)
	}
}

// assertShown finds the value of each field among those of a view, and of no field that is absent.
func assertShown(t *testing.T, view string, part any, values map[string]bool, absent func(field string) bool) {
	t.Helper()
	v := reflect.ValueOf(part)
	for i := range v.NumField() {
		field, value := v.Type().Name()+"."+v.Type().Field(i).Name, v.Field(i)
		if absent(field) {
			if value.Kind() == reflect.String {
				assert.False(t, values[value.String()], "%s is in %s", field, view)
			}
			continue
		}
		shown := false
		switch value.Kind() {
		case reflect.String:
			shown = values[value.String()]
		case reflect.Int, reflect.Int64:
			shown = values[strconv.FormatInt(value.Int(), 10)] || values[api.FormatMS(value.Int())]
		case reflect.Bool:
			shown = values[strconv.FormatBool(value.Bool())]
		case reflect.Slice:
			shown = values[value.Index(0).String()]
		default:
			require.Fail(t, "no value of a field of type "+value.Type().String())
		}
		assert.True(t, shown, "%s is lost in %s", field, view)
	}
}

// valuesOf are the texts, numbers and flags in the JSON of a view.
func valuesOf(t *testing.T, view any) map[string]bool {
	t.Helper()
	data, err := json.Marshal(view)
	require.NoError(t, err)
	var decoded any
	require.NoError(t, json.Unmarshal(data, &decoded))
	values := map[string]bool{}
	for pending := []any{decoded}; len(pending) > 0; {
		last := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		switch v := last.(type) {
		case map[string]any:
			for _, inner := range v {
				pending = append(pending, inner)
			}
		case []any:
			pending = slices.Concat(pending, v)
		case float64:
			values[strconv.FormatFloat(v, 'f', -1, 64)] = true
		default:
			values[fmt.Sprint(v)] = true
		}
	}
	return values
}
