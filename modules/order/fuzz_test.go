package order_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
)

func FuzzParseEntry(f *testing.F) {
	for _, raw := range []string{
		"", "~", "1~2~3~4", "1~2~a~u~with~more", "-1~2~a~u", "1~-2~a~u", "01~2~a~u", "9223372036854775808~1~a~u",
		"1~2~a~", "1~2~~u", "1~~a~u", order.FormatEntry(391284598845210625, 1_795_170_245_195, "a1", "长~长"),
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		e, err := order.ParseEntry(raw)
		assert.Equal(t, raw, e.Raw, "also what can't be read is known")
		if err != nil {
			require.ErrorIs(t, err, lua.ErrBadEntry)
			assert.Zero(t, e.Number)
			return
		}
		assert.Positive(t, e.Number)
		again, err := order.ParseEntry(order.FormatEntry(e.Number, e.PlacedMS, e.Activity, e.User))
		require.NoError(t, err)
		again.Raw = e.Raw
		assert.Equal(t, e, again)
	})
}

func FuzzDecodeRecord(f *testing.F) {
	whole, err := order.EncodeRecord(&order.Order{
		Number: 391284598845210625, User: "u", Task: "1~a~h", Digest: "d",
		Content: order.Content{
			Type: order.Seckill, Kind: catalogue.Physical, Shop: "s", Activity: "a", Point: "0", GoodsAmount: 5,
			FreightAmount: 2, Currency: "CNY", Delivery: catalogue.Express, Address: &catalogue.Address{Region: "e"},
			Remark:   "r\n",
			PlacedAt: api.Millis(1), PayBefore: api.Millis(2),
			Items: []order.Item{{SKU: "k", Title: "T", Quantity: 3, Price: 4}},
		},
	})
	require.NoError(f, err)
	for _, data := range []string{
		string(whole), "", "{", "null", "[]", `{"n":1}`, `{"n":"-1"}`, string(whole) + "x",
		`{"n":"1","u":"u","c":{"type":"seckill","activity_id":"a","items":[{"sku_id":"k","quantity":1e9}]}}`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := order.DecodeRecord(data)
		if errors.Is(err, order.ErrNewerRecord) {
			return
		}
		if err != nil {
			require.ErrorIs(t, err, order.ErrBadRecord)
			return
		}
		require.Len(t, o.Items, 1)
		assert.Positive(t, o.Items[0].Quantity)
		written, err := order.EncodeRecord(o)
		require.NoError(t, err)
		again, err := order.DecodeRecord(written)
		require.NoError(t, err)
		rewritten, err := order.EncodeRecord(again)
		require.NoError(t, err)
		assert.Equal(t, string(written), string(rewritten))
	})
}
