package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRestockGivesUnitsAndCountsBackOncePerID(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "epoch", "7", "limit", "9", "limit:sku1", "9")
	orders := []PlaceOrder{buy("1", "ann:x", 2), buy("2", "ann:x", 1)}
	place(t, all, orders...)
	k := all.keys()
	before := all.hash(t, k.Stock(lane, activity))
	_, err := same(t, all, func(s *Scripts) ([]ReturnCode, error) {
		return s.Confirm(t.Context(), lane, activity, []string{orders[0].Number, orders[1].Number})
	})
	require.NoError(t, err)
	restock := func(epoch int64, of ...Restocked) bool {
		loaded, err := same(t, all, func(s *Scripts) (bool, error) {
			return s.Restock(t.Context(), lane, activity, epoch, of)
		})
		require.NoError(t, err)
		return loaded
	}
	first := Restocked{"restock:1:7", "sku1~0~2~ann:x"}
	assert.False(t, restock(6, first), "of another load")
	assert.Equal(t, before, all.hash(t, k.Stock(lane, activity)))
	for range 2 {
		assert.True(t, restock(7, first))
		assert.Equal(t, map[string]string{"sku1~0": "1"}, all.hash(t, k.Paid(lane, activity)))
		assert.Equal(t, map[string]string{"a:ann:x": "1", "s:sku1~ann:x": "1"}, all.hash(t, k.Bought(lane, activity)))
	}
	assert.True(t, restock(7, first, Restocked{"restock:2:7", "sku1~0~1~ann:x"}))
	assert.Equal(t, map[string]string{"sku1~0": "0"}, all.hash(t, k.Paid(lane, activity)))
	assert.Empty(t, all.hash(t, k.Bought(lane, activity)))
	sale(t, all, "state", string(StateLoading))
	assert.False(t, restock(7, Restocked{"restock:3:7", "sku1~0~1~ann:x"}))
}
