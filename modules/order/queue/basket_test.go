package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/stage"
)

// A dead basket, also one without a record, is stored as failed with all its lines, and gives all its units back.
func TestADeadBasketIsDiscardedWhole(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Others: []string{"tea"}})
		o := s.Basket("ann", "0", lua.Take{SKU: stage.SKU, Quantity: 2}, lua.Take{SKU: "tea", Quantity: 3})
		results, err := s.TryPlace(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, lua.Placed, results[0].Code)
		require.NoError(t, stores.Redis.Del(t.Context(), recordKey(s, o)).Err())
		s.Move(t)
		require.Len(t, deadOf(t, s), 1)
		discarded(t, s, o)
		assert.Equal(t, "10", s.Hash(t, stores.Keys.Stock)["tea~0"])
		failed, err := order.Select(t.Context(), stores.DB.Read, o.Number)
		require.NoError(t, err)
		assert.Len(t, failed.Items, 2)
		assert.EqualValues(t, 500, failed.TotalAmount)
	})
}

// So is a dead bundle: its items have shares of its price, and lists find the order by it.
func TestADeadBundleIsDiscardedAsOne(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{
			Others: []string{"tea"}, Parts: seckill.Parts{{SKU: stage.SKU, Quantity: 1}, {SKU: "tea", Quantity: 2}},
		})
		o := s.Bundle("ann", "0", 2)
		results, err := s.TryPlace(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, lua.Placed, results[0].Code)
		require.NoError(t, stores.Redis.Del(t.Context(), recordKey(s, o)).Err())
		s.Move(t)
		discarded(t, s, o)
		failed, err := order.Select(t.Context(), stores.DB.Read, o.Number)
		require.NoError(t, err)
		assert.Equal(t, &order.Bundle{SKU: stage.Set, Title: stage.Set, Quantity: 2, Price: 90}, failed.Bundle)
		assert.EqualValues(t, 180, failed.TotalAmount)
		require.Len(t, failed.Items, 2)
		assert.EqualValues(t, 30, failed.Items[0].Price)
		assert.EqualValues(t, 30, failed.Items[1].Price)
		var found int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &found,
			`SELECT COUNT(*) FROM orders WHERE `+order.HasSKU, stage.Set, stage.Set))
		assert.Equal(t, 1, found)
	})
}

// An older version leaves baskets to newer ones: it would store them with one line.
func TestABasketHasARecordOfALaterVersion(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Others: []string{"tea"}})
		for _, row := range []struct {
			takes   []lua.Take
			version int
		}{
			{[]lua.Take{{SKU: "tea", Quantity: 3}}, 1},
			{[]lua.Take{{SKU: stage.SKU, Quantity: 2}, {SKU: "tea", Quantity: 3}}, 3},
		} {
			record, err := order.EncodeRecord(s.Basket("ann", "0", row.takes...))
			require.NoError(t, err)
			o, err := order.DecodeRecord(record)
			require.NoError(t, err)
			assert.Equal(t, row.version, o.Version)
		}
		twice := s.Basket("ann", "0", lua.Take{SKU: "tea", Quantity: 2}, lua.Take{SKU: "tea", Quantity: 3})
		record, err := order.EncodeRecord(twice)
		require.NoError(t, err)
		_, err = order.DecodeRecord(record)
		require.ErrorIs(t, err, order.ErrBadRecord)
	})
}
