package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// reserve sets the units of sku1 that are reserved.
func reserve(t tb, all stores, units ...Wave) {
	t.Helper()
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), ReservedField("sku1"), FormatWaves(units)).Err()
	})
}

// member makes an order one of a buyer for whom units are reserved.
func member(o PlaceOrder) PlaceOrder {
	o.Reserved = true
	return o
}

func placeReserving(t tb, all stores, orders ...PlaceOrder) []PlaceResult {
	t.Helper()
	return placeCall(t, all, &PlaceCall{Lane: lane, Activity: activity, Reserves: true, Orders: orders})
}

func TestOthersLeaveTheUnitsThatAreReserved(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all) // 6 units at point 0, 4 at point 1
	reserve(t, all, Wave{"0", later, 3}, Wave{"1", 1, 4})
	kept := PlaceResult{Code: Reserved, NextMS: later}
	elsewhere := buy("9", "cid", 4)
	elsewhere.Point = "1"
	fits, first := buy("1", "ann", 3), member(buy("2", "bob", 2))
	assert.Equal(t, []PlaceResult{kept, placedAs(fits), kept, placedAs(first), kept, placedAs(elsewhere)},
		placeReserving(t, all, buy("5", "cid", 4), fits, buy("6", "cid", 1), first, buy("7", "cid", 1), elsewhere),
		"in one batch; what was reserved at point 1 is given back")
	k := all.keys()
	assert.Equal(t, map[string]string{"r:sku1~0": "2"}, all.hash(t, k.Bought(lane, activity)))
	assert.Equal(t, "sku1~0~r2~bob", all.hash(t, k.Held(lane, activity))[first.Number])
	assert.Equal(t, []PlaceResult{kept}, placeReserving(t, all, buy("8", "cid", 1)), "in another batch")

	assert.Equal(t, []ReturnCode{Returned}, giveBack(t, all, first.Number))
	assert.Empty(t, all.hash(t, k.Bought(lane, activity)))
	assert.Equal(t, []PlaceResult{kept}, placeReserving(t, all, buy("8", "cid", 1)), "its units are reserved again")
	reserve(t, all, Wave{"0", 1, 3})
	last := buy("8", "cid", 3)
	assert.Equal(t, []PlaceResult{placedAs(last), {Code: SoldOut}}, placeReserving(t, all, last, buy("10", "dan", 1)))
}

// A member's order counts whichever unit it takes: there is no unit that is reserved twice.
func TestMembersTakeWhatIsReservedFirst(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	reserve(t, all, Wave{"0", later, 2})
	first, other := member(buy("1", "ann", 3)), buy("2", "bob", 3)
	assert.Equal(t, []PlaceResult{placedAs(first), placedAs(other)}, placeReserving(t, all, first, other))
}

func TestABasketLeavesTheReservedUnitsOfEachSku(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	reserve(t, all, Wave{"0", later, 5})
	of := member(basket("2", "bob", Take{"sku2", 1}, Take{"sku1", 4}))
	assert.Equal(t, []PlaceResult{{Code: Reserved, NextMS: later, SKU: "sku1"}, placedAs(buy("2", "bob", 1))},
		placeReserving(t, all, basket("1", "ann", Take{"sku2", 1}, Take{"sku1", 2}), of))
	k := all.keys()
	assert.Equal(t, map[string]string{"r:sku1~0": "4", "r:sku2~0": "1"}, all.hash(t, k.Bought(lane, activity)))
	held := all.hash(t, k.Held(lane, activity))[of.Number]
	assert.Equal(t, "sku2*1,sku1*4~0~rb5~bob", held)
	read, ok := ParseHeld(held)
	assert.True(t, ok)
	assert.True(t, read.Reserved)
	field, units := read.Counted(CountedReserved("sku1"))
	assert.Equal(t, "r:sku1~0", field)
	assert.EqualValues(t, 4, units)
	giveBack(t, all, of.Number)
	assert.Empty(t, all.hash(t, k.Bought(lane, activity)))
}
