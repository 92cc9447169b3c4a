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

func TestAListShowsOrdersAsTheirViewsWithoutTheLog(t *testing.T) {
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
	}
}

func TestAListHasTheBytesOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	stored := Row{
		State: order.State{
			Number: 7, Status: order.Cancelled, Source: "sql", CancelledAt: 1, CancelReason: "<a>&\u2028",
		},
		content: []byte(`{"type":"seckill","remark":"\u003cb\u003e"}`),
	}
	data, err := encodeList(api.List[Row]{
		Items: []Row{stored, {State: order.State{Number: 6}}}, PageSize: 2, NextCursor: "6",
	})
	require.NoError(t, err)
	//nolint:testifylint // byte for byte
	assert.Equal(t, `{"items":[{"order_number":"7","status":"cancelled","source":"sql",`+
		`"cancelled_at":"1970-01-01T00:00:00.001Z","cancel_reason":"\u003ca\u003e\u0026\u2028",`+
		`"type":"seckill","remark":"\u003cb\u003e"},{"order_number":"6","status":"","source":""}],`+
		`"page_size":2,"next_cursor":"6","partial":false}`, string(data))
	data, err = encodeList(api.List[Row]{Page: 1, PageSize: 2, Total: new(int64)})
	require.NoError(t, err)
	//nolint:testifylint // byte for byte
	assert.Equal(t, `{"items":[],"page":1,"page_size":2,"total":0,"partial":false}`, string(data))
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}
