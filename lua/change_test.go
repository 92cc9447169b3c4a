package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func change(t tb, all stores, id, sku, point string, delta int64) ChangeCode {
	t.Helper()
	code, err := same(t, all, func(s *Scripts) (ChangeCode, error) {
		return s.ChangeStock(t.Context(), lane, activity, id, sku, point, delta)
	})
	require.NoError(t, err)
	return code
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
		"sku1": "8", "sku1:0": "6", "sku1:1": "0", "sku1:new": "2", "sku2": "5", "sku2:0": "5",
	}, stock)
	assert.Equal(t, map[string]string{"c1": "5", "c2": "-9", "c3": "2"},
		all.hash(t, all.keys().Changes(lane, activity)))
}

func TestNoMoreUnitsAreTakenThanAreLeft(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "state", StateClosed)
	before := dump(t, all[0])
	assert.Equal(t, ChangeTooMuch, change(t, all, "c1", "sku1", "0", -11))
	assert.Equal(t, ChangeTooMuch, change(t, all, "c1", "sku1", "1", -5))
	assert.Equal(t, ChangeTooMuch, change(t, all, "c1", "sku9", "0", -1))
	assert.Equal(t, before, dump(t, all[0]))
	assert.Equal(t, ChangeApplied, change(t, all, "c1", "sku1", "1", -4), "a refused id may be tried again")
}

func TestAChangeOfAnActivityThatIsNotLoadedWaits(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	assert.Equal(t, ChangeNotLoaded, change(t, all, "c1", "sku1", "0", 1))
	sale(t, all, "state", StateLoading)
	assert.Equal(t, ChangeNotLoaded, change(t, all, "c1", "sku1", "0", 1))
	assert.Empty(t, all.hash(t, all.keys().Changes(lane, activity)))
}
