// Package fields follows every field of a struct through its encodings, so that tests name fields that get lost.
package fields

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
)

// Order returns an order with a value in every field that no other field has.
func Order(t *testing.T) *order.Order {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f := &filler{next: int64(rand.New(rand.NewPCG(seed, 0)).IntN(20_000))}
	o := &order.Order{Content: order.Content{Items: make([]order.Item, 1)}}
	f.fill(t, reflect.ValueOf(o).Elem())
	o.Type, o.Kind, o.Status = order.Seckill, catalogue.Physical, order.Paid // fields that differ between the stores
	o.Items[0].Line, o.Items[0].Kind = 1, catalogue.Voucher
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
			if v.Type().Field(i).IsExported() {
				f.fill(t, v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(t, v.Elem())
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"key": f.text()}).Convert(v.Type()))
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

// AssertKept compares two structs field by field. Embedded structs count as fields of theirs.
func AssertKept(t *testing.T, where string, want, got any, absent map[string]string) {
	t.Helper()
	w, g := reflect.ValueOf(want), reflect.ValueOf(got)
	for i := range w.NumField() {
		field := w.Type().Name() + "." + w.Type().Field(i).Name
		if absent[field] != "" || !w.Type().Field(i).IsExported() {
			continue
		}
		if w.Type().Field(i).Anonymous {
			AssertKept(t, where, w.Field(i).Interface(), g.Field(i).Interface(), absent)
			continue
		}
		require.False(t, w.Field(i).IsZero(), "%s is filled", field)
		assert.Equal(t, w.Field(i).Interface(), g.Field(i).Interface(), "%s is lost in the %s", field, where)
	}
}

// AssertShown asserts that a view has the value of each field, except of absent fields, and of the fields of structs in
// it.
func AssertShown(t *testing.T, view string, part any, values map[string]bool, absent func(field string) bool) {
	t.Helper()
	v := reflect.ValueOf(part)
	for i := range v.NumField() {
		field, value := v.Type().Name()+"."+v.Type().Field(i).Name, v.Field(i)
		if !v.Type().Field(i).IsExported() {
			continue
		}
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
		case reflect.Struct:
			AssertShown(t, view, value.Interface(), values, absent)
			continue
		case reflect.Pointer:
			AssertShown(t, view, value.Elem().Interface(), values, absent)
			continue
		case reflect.Map:
			shown = values[value.MapIndex(value.MapKeys()[0]).String()]
		case reflect.Slice:
			if value.Type().Elem().Kind() == reflect.Struct {
				AssertShown(t, view, value.Index(0).Interface(), values, absent)
				continue
			}
			shown = values[value.Index(0).String()]
		default:
			require.Fail(t, "no value of a field of type "+value.Type().String())
		}
		assert.True(t, shown, "%s is lost in %s", field, view)
	}
}

// ValuesOf returns the texts, numbers and flags in the JSON of a view.
func ValuesOf(t *testing.T, view any) map[string]bool {
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
