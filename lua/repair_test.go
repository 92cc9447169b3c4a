package lua

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func repair(
	t tb, all stores, epoch int64, restore map[string]string, drop []string, add map[string]int64,
) bool {
	t.Helper()
	ok, err := same(t, all, func(s *Scripts) (bool, error) {
		return s.Repair(t.Context(), lane, activity, epoch, 0, restore, drop, add)
	})
	require.NoError(t, err)
	return ok
}

func TestRepairRestoresAndDropsHoldsAndAddsToTheStock(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	k := all.keys()
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), k.Held(lane, activity), "1", "sku1~0~1~ann", "2", "sku1~0~1~bob").Err()
	})
	assert.True(t, repair(t, all, 7,
		map[string]string{"1": "sku1~0~9~other", "3": "sku1~1~2~cid"}, []string{"2", "404"},
		map[string]int64{"sku1": -12, "sku1~0": 3, "sku1~new": 1}))
	assert.Equal(t, map[string]string{"1": "sku1~0~1~ann", "3": "sku1~1~2~cid"}, all.hash(t, k.Held(lane, activity)))
	assert.Equal(t, map[string]string{
		"sku1": "-2", "sku1~0": "9", "sku1~1": "4", "sku1~new": "1", "sku2": "5", "sku2~0": "5",
	}, all.hash(t, k.Stock(lane, activity)))
	assert.True(t, repair(t, all, 7, nil, nil, nil))
}

func TestRepairOfAnotherEpochChangesNothing(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	repairAt := func(epoch int64) bool {
		return repair(t, all, epoch, map[string]string{"1": "sku1~0~1~ann"}, []string{"2"}, map[string]int64{"sku1": 1})
	}
	assert.False(t, repairAt(7), "not loaded")
	sale(t, all)
	before := dump(t, all[0])
	assert.False(t, repairAt(8))
	assert.Equal(t, before, dump(t, all[0]))
	sale(t, all, "state", string(StateLoading))
	assert.False(t, repairAt(7))
}

func TestRepairTakesAnyNumberOfHolds(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	restore := map[string]string{}
	drop := make([]string, 2001)
	for i := range drop {
		drop[i] = strconv.Itoa(i)
		restore[drop[i]] = "sku1~0~1~ann"
	}
	assert.True(t, repair(t, all, 7, restore, nil, nil))
	assert.Len(t, all.hash(t, all.keys().Held(lane, activity)), len(drop))
	assert.True(t, repair(t, all, 7, nil, drop, nil))
	assert.Empty(t, all.hash(t, all.keys().Held(lane, activity)))
}

func TestDriftIsCorrectedByOneOfTheAuditsThatFoundIt(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	for i, want := range []bool{true, false} {
		ok, err := same(t, all, func(s *Scripts) (bool, error) {
			return s.Repair(t.Context(), lane, activity, 7, 0, nil, nil, map[string]int64{"sku1": 2})
		})
		require.NoError(t, err)
		assert.Equal(t, want, ok, i)
	}
	assert.Equal(t, "12", all.hash(t, all.keys().Stock(lane, activity))["sku1"])
}

func TestCountsAreCorrectedUnlessTheyChanged(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	k := all.keys()
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), k.Bought(lane, activity), "a:ann", 1, "a:bob", 2, "a:cid", 3).Err()
	})
	for epoch, want := range map[int64]bool{6: false, 7: true} {
		ok, err := same(t, all, func(s *Scripts) (bool, error) {
			return s.RepairBought(t.Context(), lane, activity, epoch, []BoughtRepair{
				{"a:ann", "1", 5}, {"a:bob", "1", 5}, {"a:cid", "3", 0}, {"a:dan", "", 4}, {"a:eve", "7", 4},
			})
		})
		require.NoError(t, err)
		assert.Equal(t, want, ok)
	}
	assert.Equal(t, map[string]string{"a:ann": "5", "a:bob": "2", "a:dan": "4"}, all.hash(t, k.Bought(lane, activity)))
}
