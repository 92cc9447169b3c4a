package admin

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/test/fields"
)

// notInFile are the fields of an order that the file of orders leaves out, each with the reason.
var notInFile = map[string]string{
	"Order.Version":        "of the record",
	"Order.Task":           "names the submit, for its buyer",
	"Order.Digest":         "only distinguishes requests",
	"Order.Trace":          "in the log of the order",
	"Order.PlacedFrom":     "in the log of the order",
	"Order.RefundedAmount": "refunds are listed by themselves",
	"Order.Cached":         "the file has stored orders",
	"Content.Fields":       "each shop has its own",
	"Item.Line":            "the place in the list",
	"Item.Kind":            "the widest is the order's",
	"Item.Title":           "follows from the sku",
	"Item.ImageURL":        "follows from the sku",
	"Item.Price":           "the file has amounts",
	"Item.Point":           "the order's",
	"Item.VoucherCodes":    "who has a code can redeem it",
	"Item.VouchersWaiting": "it passes",
	"Address.AddressID":    "only for its user",
	"Bundle.Title":         "follows from the sku",
	"Bundle.Price":         "the file has amounts",
	"Order.LimitKey":       "a digest",
	"Order.Reserved":       "only for the count of reserved units",
	"Address.IsDefault":    "only for its user",
}

func TestTheFileOfOrdersHasEveryField(t *testing.T) {
	t.Parallel()
	o := fields.Order(t)
	row := csvRow(o)
	require.Len(t, row, len(csvHeader))
	values := map[string]bool{}
	for _, text := range row {
		values[text] = true
	}
	for _, column := range []string{"items", "bundle"} {
		sku, quantity, ok := strings.Cut(row[indexOf(t, column)], " x ")
		require.True(t, ok)
		values[sku], values[quantity] = true, true
	}
	fields.AssertShown(t, "the file", *o, values, func(field string) bool { return notInFile[field] != "" })

	// Each column changes with a field of its own.
	var twice []string
	for i, text := range row {
		for k := range i {
			if row[k] == text {
				twice = append(twice, csvHeader[i]+" and "+csvHeader[k])
			}
		}
	}
	assert.Empty(t, twice, "columns with the same value")
	assert.Equal(t, fmt.Sprint(o.Number), row[indexOf(t, "order_number")])
	assert.Equal(t, o.PlacedAt.String(), row[indexOf(t, "placed_at")])
	assert.Equal(t, api.Millis(o.PaidMS).String(), row[indexOf(t, "paid_at")])
	for name, value := range namesOf(reflect.ValueOf(o.Content)) {
		if i := indexIn(name); i >= 0 && value.Kind() == reflect.String {
			assert.Equal(t, value.String(), row[i], "the column %s", name)
		}
	}
}

// namesOf returns the fields of a struct by their names in the API.
func namesOf(v reflect.Value) map[string]reflect.Value {
	byName := map[string]reflect.Value{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		byName[name] = v.Field(i)
	}
	return byName
}

func indexIn(name string) int { return slices.Index(csvHeader, name) }

func indexOf(t *testing.T, name string) int {
	t.Helper()
	i := indexIn(name)
	require.GreaterOrEqual(t, i, 0, name)
	return i
}
