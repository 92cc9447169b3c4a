package order

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each field of ClientTexts and Extras arrives in the field of the order with its name.
func TestTheTextsOfARequestArriveInTheOrder(t *testing.T) {
	t.Parallel()
	var texts ClientTexts
	var extras Extras
	for _, of := range []reflect.Value{reflect.ValueOf(&texts).Elem(), reflect.ValueOf(&extras).Elem()} {
		for i := range of.NumField() {
			if f := of.Field(i); f.Kind() == reflect.String {
				f.SetString(of.Type().Field(i).Name)
			}
		}
	}
	extras.Fields = FreeFields{"k": "v"}
	var o Order
	texts.PutInto(&o)
	require.NoError(t, extras.PutExtras(&o))
	content := reflect.ValueOf(o.Content)
	for _, of := range []reflect.Value{reflect.ValueOf(texts), reflect.ValueOf(extras)} {
		for i := range of.NumField() {
			name := of.Type().Field(i).Name
			assert.False(t, of.Field(i).IsZero(), "%s was not filled", name)
			assert.Equal(t, of.Field(i).Interface(), content.FieldByName(name).Interface(), name)
		}
	}
}

// Buyers know a bundle by its title, and find it by those of its parts, too.
func TestAnOrderOfABundleIsNamedByIt(t *testing.T) {
	t.Parallel()
	o := &Order{Content: Content{
		Bundle: &Bundle{SKU: "set", Title: "Tea Set", Quantity: 2},
		Items:  []Item{{SKU: "cup", Title: "Cup", Quantity: 8}, {SKU: "pot", Title: "Pot", Quantity: 2}},
	}}
	assert.Equal(t, "tea set\ncup\npot", SearchName(o))
	assert.Equal(t, "Tea Set × 2", goodsText([]*Order{o}))
	o.Bundle = nil
	assert.Equal(t, "cup\npot", SearchName(o))
	assert.Equal(t, "Cup × 8, Pot × 2", goodsText([]*Order{o}))
}
