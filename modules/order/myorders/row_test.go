package myorders

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
)

func TestAListIsWrittenAsEncodingJSONWritesIt(t *testing.T) {
	t.Parallel()
	text := "\"<a>\\\n\u2028数"
	item := []order.Item{{SKU: "lamp", Title: text, Quantity: 2, Price: 100}}
	orders := []*order.Order{
		{
			Number: 391284598845210625, Status: order.Cancelled, Reason: text, CancelledMS: 1_780_000_000_123,
			Content: order.Content{
				Type: order.Seckill, Kind: catalogue.Physical, Remark: text, Fields: order.FreeFields{"k": "v"},
				Address: &catalogue.Address{Receiver: "Ada"}, Items: item,
			},
		},
		{Number: 7, Status: order.Paid, PaidMS: 1, Content: order.Content{Type: order.Seckill, Items: item}},
		{
			Number: 6, Status: order.Refunded, RefundedAmount: 7,
			Content: order.Content{Type: order.Seckill, Items: []order.Item{{VoucherCodes: []string{"a", "b"}}}},
		},
		{Number: 5, Status: order.Unpaid, Cached: true, Content: order.Content{Type: order.Seckill, Items: item}},
	}
	total := int64(3)
	for _, list := range []api.List[Row]{
		{PageSize: 10, NextCursor: "5", Partial: true}, {Page: 2, PageSize: 1, Total: &total},
	} {
		want := api.List[order.View]{
			Page: list.Page, PageSize: list.PageSize, Total: list.Total, NextCursor: list.NextCursor,
			Partial: list.Partial,
		}
		data, err := encodeList(list)
		require.NoError(t, err)
		assert.JSONEq(t, encoded(t, want), string(data))
		for _, o := range orders {
			record, err := order.EncodeRecord(o)
			require.NoError(t, err)
			list.Items = append(list.Items, Row{State: order.StateOf(o), content: order.ContentOf(record)})
			view := order.NewView(o, nil)
			view.Events = nil
			want.Items = append(want.Items, view)
		}
		var written struct {
			Items []order.View `json:"items"`
		}
		data, err = encodeList(list)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &written))
		assert.Equal(t, encoded(t, want.Items), encoded(t, written.Items))
		assert.NotContains(t, string(data), `"events"`, "lists carry no log")
		assert.JSONEq(t, encoded(t, list), string(data), "each order by itself")
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}
