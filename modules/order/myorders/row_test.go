package myorders

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/web/api"
)

func TestAListIsWrittenAsEncodingJSONWritesIt(t *testing.T) {
	t.Parallel()
	text := "\"<a>\\\n\u2028数"
	orders := []*order.Order{
		{
			Number: 391284598845210625, Type: order.Seckill, Kind: catalogue.Physical, Status: order.Cancelled,
			Reason: text, CancelledMS: 1_780_000_000_123, Remark: text, Fields: `{"k":"v"}`, Address: `{"name":"Ada"}`,
			Items: []order.Item{{SKU: "lamp", Title: text, Quantity: 2, Price: 100}},
		},
		{Number: 7, Status: order.Paid, PaidMS: 1, Items: []order.Item{}},
		{
			Number: 6, Status: order.Refunded, CancelledMS: 1, Reason: "old",
			Items: []order.Item{{VoucherCodes: []string{"a", "b"}}},
		},
		{Number: 5, Status: order.Unpaid, Cached: true},
	}
	total := int64(3)
	for _, list := range []api.List[Row]{
		{PageSize: 10, NextCursor: "5", Partial: true}, {Page: 2, PageSize: 1, Total: &total},
	} {
		want := api.List[order.View]{
			Page: list.Page, PageSize: list.PageSize, Total: list.Total, NextCursor: list.NextCursor,
			Partial: list.Partial,
		}
		assert.JSONEq(t, encoded(t, want), string(appendList(nil, &list)))
		for _, o := range orders {
			r := Row{
				Number: o.Number, Status: o.Status, Cached: o.Cached, paidMS: o.PaidMS, cancelledMS: o.CancelledMS,
				reason: o.Reason, voucher: order.FirstVoucher(o.Items),
			}
			require.NoError(t, r.setContent(o))
			list.Items = append(list.Items, r)
			view, err := order.NewView(o, nil)
			require.NoError(t, err)
			view.Events = nil
			want.Items = append(want.Items, view)
		}
		var written struct {
			Items []order.View `json:"items"`
		}
		data := appendList(nil, &list)
		require.NoError(t, json.Unmarshal(data, &written))
		assert.Equal(t, encoded(t, want.Items), encoded(t, written.Items))
		assert.NotContains(t, string(data), `"events"`, "lists carry no log")
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}
