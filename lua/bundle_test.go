package lua

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bundleOrder is an order of n of the bundle set, whose parts are sku1 and two of sku2.
func bundleOrder(name, user string, n int64) PlaceOrder {
	o := buy(name, user, 1)
	o.SKU, o.Quantity = JoinBundle("set", n, []Take{{"sku1", n}, {"sku2", 2 * n}})
	return o
}

func TestABundleIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	sku, units := JoinBundle("set", 2, []Take{{"a", 2}, {"b", 6}})
	assert.Equal(t, "set=2,a*2,b*6", sku)
	assert.EqualValues(t, 8, units)
	for _, text := range []string{sku, Held{SKU: sku}.MarkedSKU()} {
		assert.Equal(t, map[string]int64{"a": 2, "b": 6}, maps.Collect(Takes(text, units)), text)
		assert.Equal(t, map[string]int64{CountedAll: 8, "s:set": 2, "s:a": 2, "s:b": 6},
			maps.Collect(Counts(text, units)), text)
		bundle, n := Bundle(text)
		assert.Equal(t, "set", bundle)
		assert.EqualValues(t, 2, n)
		assert.Equal(t, []int64{8, 2, 6, 0}, []int64{
			Counted(CountedAll, text, units), Counted(CountedSKU("set"), text, units),
			Counted(CountedSKU("b"), text, units), Counted(CountedSKU("c"), text, units),
		})
	}
	for _, plain := range []string{"a", "a*1,b*2", "set=x,a*1", ""} {
		bundle, _ := Bundle(plain)
		assert.Empty(t, bundle, plain)
		assert.Len(t, maps.Collect(Counts(plain, 1)), len(maps.Collect(Takes(plain, 1)))+1, plain)
	}
	held, ok := ParseHeld(FormatHeld(Held{SKU: sku}.MarkedSKU(), "0", units, "5~ann"))
	assert.True(t, ok)
	assert.Equal(t, Held{SKU: sku, Point: "0", Quantity: units, User: "5~ann"}, held)
}

func TestABundleTakesItsPartsAndCountsUnderItsOwnLimit(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "9", "limit:set", "2", "limit:sku2", "4")
	o := bundleOrder("1", "ann", 1)
	assert.Equal(t, []PlaceResult{
		placedAs(o), {Code: OverSKULimit, SKU: "set", Bought: 1}, {Code: OverSKULimit, SKU: "sku2", Bought: 2},
	}, place(t, all, o, bundleOrder("2", "ann", 2), basket("3", "ann", Take{"sku1", 1}, Take{"sku2", 3})))
	k := all.keys()
	assert.Equal(t, map[string]string{"sku1": "9", "sku1~0": "5", "sku1~1": "4", "sku2": "3", "sku2~0": "3"},
		all.hash(t, k.Stock(lane, activity)))
	assert.Equal(t, map[string]string{"a:ann": "3", "s:set~ann": "1", "s:sku2~ann": "2"},
		all.hash(t, k.Bought(lane, activity)), "the limit of the sale counts units")
	assert.Equal(t, map[string]string{o.Number: "set=1,sku1*1,sku2*2~0~b3~ann"}, all.hash(t, k.Held(lane, activity)))

	assert.Equal(t, []ReturnCode{Returned, NotHeld}, giveBack(t, all, o.Number, o.Number))
	assert.Equal(t, "5", all.hash(t, k.Stock(lane, activity))["sku2"])
	assert.NotContains(t, all.hash(t, k.Stock(lane, activity)), "set", "a bundle has no stock")
	assert.Empty(t, all.hash(t, k.Bought(lane, activity)))
}

func TestABundleThatIsWrittenWronglyIsAnError(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	for _, sku := range []string{
		"sku1=1,sku1*1,sku2*2", "set=0,sku1*1,sku2*2", "set=-1,sku1*1,sku2*2",
	} {
		o := buy("1", "ann", 3)
		o.SKU = sku
		_, err := same(t, all, func(s *Scripts) (string, error) {
			_, _, err := s.Place(t.Context(), &PlaceCall{Lane: lane, Activity: activity, Orders: []PlaceOrder{o}})
			return "", err
		})
		require.Error(t, err, sku)
	}
	assert.Empty(t, all.hash(t, all.keys().Held(lane, activity)))
}
