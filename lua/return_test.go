package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func giveBack(t tb, all stores, numbers ...string) []ReturnCode {
	t.Helper()
	codes, err := same(t, all, func(s *Scripts) ([]ReturnCode, error) {
		return s.Return(t.Context(), lane, activity, numbers)
	})
	require.NoError(t, err)
	return codes
}

func TestReturnGivesUnitsAndCountsBackOnce(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "limit", "9", "limit:sku1", "9")
	orders := []PlaceOrder{buy("1", "ann:x", 2), buy("2", "ann:x", 1), buy("3", "bob", 3)}
	place(t, all, orders...)

	assert.Equal(t, []ReturnCode{Returned, NotHeld, NotHeld, Returned},
		giveBack(t, all, orders[0].Number, "404", orders[0].Number, orders[2].Number))
	assert.Equal(t, []ReturnCode{NotHeld}, giveBack(t, all, orders[0].Number))

	k := all.keys()
	stock := all.hash(t, k.Stock(lane, activity))
	assert.Equal(t, []string{"9", "5", "4"}, []string{stock["sku1"], stock["sku1~0"], stock["sku1~1"]})
	assert.Equal(t, map[string]string{"a:ann:x": "1", "s:sku1~ann:x": "1"}, all.hash(t, k.Bought(lane, activity)))
	assert.Equal(t, map[string]string{orders[1].Number: "sku1~0~1~ann:x"}, all.hash(t, k.Held(lane, activity)))
}

func TestReturnWorksAfterTheSaleIsClosed(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	order := buy("1", "ann", 2)
	place(t, all, order)
	sale(t, all, "state", string(StateClosed))
	assert.Equal(t, []ReturnCode{Returned}, giveBack(t, all, order.Number))
	assert.Empty(t, all.hash(t, all.keys().Bought(lane, activity)), "no count was kept, none is made")
}

func TestReturnOfAnActivityThatIsNotLoadedChangesNothing(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	assert.Equal(t, []ReturnCode{ActivityNotLoaded, ActivityNotLoaded}, giveBack(t, all, "1", "2"))
	sale(t, all, "state", string(StateLoading))
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Held(lane, activity), "1", "sku1~0~1~ann").Err()
	})
	assert.Equal(t, []ReturnCode{ActivityNotLoaded}, giveBack(t, all, "1"))
	assert.Len(t, all.hash(t, all.keys().Held(lane, activity)), 1)
	assert.Empty(t, giveBack(t, all))
}

func TestAHoldThatCannotBeReadKeepsNoOtherUnitsFromComingBack(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Held(lane, activity), "1", "sku1~0~1~ann", "2", "nonsense").Err()
	})
	left := all.hash(t, all.keys().Stock(lane, activity))["sku1"]
	assert.Equal(t, []ReturnCode{HoldUnreadable, Returned, NotHeld}, giveBack(t, all, "2", "1", "3"))
	assert.Equal(t, map[string]string{"2": "nonsense"}, all.hash(t, all.keys().Held(lane, activity)))
	assert.NotEqual(t, left, all.hash(t, all.keys().Stock(lane, activity))["sku1"])
}
