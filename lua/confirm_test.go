package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func confirm(t tb, all stores, numbers ...string) []ReturnCode {
	t.Helper()
	codes, err := same(t, all, func(s *Scripts) ([]ReturnCode, error) {
		return s.Confirm(t.Context(), lane, activity, numbers)
	})
	require.NoError(t, err)
	return codes
}

func TestConfirmCountsUnitsAsPaidOnceAndLeavesTheStockAlone(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "9")
	orders := []PlaceOrder{buy("1", "ann:x", 2), buy("2", "ann:x", 1), buy("3", "bob", 3)}
	place(t, all, orders...)
	k := all.keys()
	stock, bought := all.hash(t, k.Stock(lane, activity)), all.hash(t, k.Bought(lane, activity))

	assert.Equal(t, []ReturnCode{Confirmed, NotHeld, NotHeld, Confirmed},
		confirm(t, all, orders[0].Number, "404", orders[0].Number, orders[2].Number))
	assert.Equal(t, []ReturnCode{NotHeld}, confirm(t, all, orders[0].Number))
	assert.Equal(t, "5", all.hash(t, k.Paid(lane, activity))["sku1~0"])
	assert.Equal(t, map[string]string{orders[1].Number: "sku1~0~1~ann:x"}, all.hash(t, k.Held(lane, activity)))

	assert.Equal(t, []ReturnCode{Confirmed}, confirm(t, all, orders[1].Number))
	assert.Equal(t, "6", all.hash(t, k.Paid(lane, activity))["sku1~0"])
	assert.Equal(t, stock, all.hash(t, k.Stock(lane, activity)))
	assert.Equal(t, bought, all.hash(t, k.Bought(lane, activity)))
	assert.Equal(t, []ReturnCode{NotHeld}, giveBack(t, all, orders[0].Number), "paid units are not returned")
}

func TestConfirmOfAnActivityThatIsNotLoadedChangesNothing(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	assert.Equal(t, []ReturnCode{ActivityNotLoaded, ActivityNotLoaded}, confirm(t, all, "1", "2"))
	sale(t, all, "state", string(StateLoading))
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Held(lane, activity), "1", "sku1~0~1~ann").Err()
	})
	assert.Equal(t, []ReturnCode{ActivityNotLoaded}, confirm(t, all, "1"))
	assert.Len(t, all.hash(t, all.keys().Held(lane, activity)), 1)
	assert.Empty(t, all.hash(t, all.keys().Paid(lane, activity)))
	assert.Empty(t, confirm(t, all))
}
