package lua

import (
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func change(t tb, all stores, id, sku, point string, delta int64) ChangeCode {
	t.Helper()
	code, err := same(t, all, func(s *Scripts) (ChangeCode, error) {
		return s.ChangeStock(t.Context(), lane, activity, epochOf(t, s), id, sku, point, delta)
	})
	require.NoError(t, err)
	return code
}

// epochOf is the epoch of the load, 0 where there is none.
func epochOf(t tb, s *Scripts) int64 {
	t.Helper()
	epoch, err := s.Redis.HGet(t.Context(), s.Keys.Meta(lane, activity), "epoch").Int64()
	if err != nil {
		require.ErrorIs(t, err, redis.Nil)
	}
	return epoch
}

func TestAStockChangeIsAppliedOncePerID(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	assert.Equal(t, ChangeApplied, change(t, all, "c1", "sku1", "1", 5))
	assert.Equal(t, ChangeKnown, change(t, all, "c1", "sku1", "1", 5))
	assert.Equal(t, ChangeApplied, change(t, all, "c2", "sku1", "1", -9))
	assert.Equal(t, ChangeApplied, change(t, all, "c3", "sku1", "new", 2))
	stock := all.hash(t, all.keys().Stock(lane, activity))
	assert.Equal(t, map[string]string{
		"sku1": "8", "sku1~0": "6", "sku1~1": "0", "sku1~new": "2", "sku2": "5", "sku2~0": "5",
	}, stock)
	assert.Equal(t, map[string]string{"c1": "5", "c2": "-9", "c3": "2"},
		all.hash(t, all.keys().Changes(lane, activity)))
}

func TestNoMoreUnitsAreTakenThanAreLeft(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "state", string(StateClosed))
	before := all.hash(t, all.keys().Stock(lane, activity))
	assert.Equal(t, ChangeTooMuch, change(t, all, "c1", "sku1", "0", -11))
	assert.Equal(t, ChangeTooMuch, change(t, all, "c2", "sku1", "1", -5))
	assert.Equal(t, ChangeTooMuch, change(t, all, "c3", "sku9", "0", -1))
	assert.Equal(t, ChangeTooMuch, change(t, all, "c2", "sku1", "1", -4), "a refused id stays refused")
	assert.Equal(t, before, all.hash(t, all.keys().Stock(lane, activity)))
	assert.Equal(t, ChangeApplied, change(t, all, "c4", "sku1", "1", -4))
	assert.Equal(t, map[string]string{"c1": ChangeRefused, "c2": ChangeRefused, "c3": ChangeRefused, "c4": "-4"},
		all.hash(t, all.keys().Changes(lane, activity)))
}

func TestChangeWaitsUntilTheActivityIsLoaded(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	assert.Equal(t, ChangeNotLoaded, change(t, all, "c1", "sku1", "0", 1))
	sale(t, all, "state", string(StateLoading))
	assert.Equal(t, ChangeNotLoaded, change(t, all, "c1", "sku1", "0", 1))
	assert.Empty(t, all.hash(t, all.keys().Changes(lane, activity)))
}

func TestPendingChangeOfAnotherLoadIsNotApplied(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	before := dump(t, all[0])
	code, err := same(t, all, func(s *Scripts) (ChangeCode, error) {
		return s.ChangeStock(t.Context(), lane, activity, 6, "c1", "sku1", "0", 1)
	})
	require.NoError(t, err)
	assert.Equal(t, ChangeNotLoaded, code)
	assert.Equal(t, before, dump(t, all[0]))
}
