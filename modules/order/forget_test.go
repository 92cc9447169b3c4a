package order

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// erasedFields says for each field of a record whether an erasure removes what it has. A new field needs a decision.
var erasedFields = map[string]bool{
	"Trace": false, // it names nobody

	"User": true, "PlacedFrom": true, "Address": true, "Remark": true, "Fields": true, "NotifyToken": true,

	"Version": false, "Number": false, "Task": false, "Digest": false, "Type": false, "Kind": false, "Shop": false,
	"Activity": false, "Point": false, "Items": false, "Bundle": false, "GoodsAmount": false, "FreightAmount": false,
	"TotalAmount": false, "Currency": false, "Delivery": false, "PickupPoint": false, "Room": false,
	"ShareCode": false, "ShareSource": false, "Inviter": false, "PlacedAt": false, "PayBefore": false,
	"ClientReference": false,
	"LimitKey":        false, // a keyed digest, of one sale only, by which its counts are given back
	"Reserved":        false, // says nothing of who it is
}

func TestEveryFieldOfTheRecordIsErasedOrKeptOnPurpose(t *testing.T) {
	t.Parallel()
	for field := range erasedFields {
		var o Order
		v := reflect.ValueOf(&o).Elem().FieldByName(field)
		switch v.Kind() {
		case reflect.String:
			v.SetString("zoe")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		case reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		default:
			v.SetInt(7)
		}
		before := v.Interface()
		o.User = "zoe"
		o.forget("zoe", "nobody")
		want := !erasedFields[field] && field != "Inviter"
		assert.Equal(t, want, reflect.DeepEqual(before, v.Interface()), field)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[Order](), reflect.TypeFor[Content]()} {
		for i := range of.NumField() {
			f := of.Field(i)
			if f.Tag.Get("json") == "-" || f.Name == "Content" || !f.IsExported() {
				continue
			}
			assert.Contains(t, erasedFields, f.Name)
		}
	}
}
