package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/site"
)

// remarkBytes is how long the remark of an order is, so that it is as long as one with an address.
const remarkBytes = 78

// queue places orders through the real script, without HTTP, to measure what comes after.
type queue struct {
	site     *site.Site
	activity string
	lane     int
	placed   int // in all
}

// newQueue opens a sale with limits on the instance.
func newQueue(tb testing.TB, s *site.Site) *queue {
	tb.Helper()
	q := &queue{site: s}
	q.activity = s.Open(tb, site.Sale{
		Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}, PurchaseLimit: 5, SKULimit: 5,
	})
	require.NoError(tb, s.Stores.DB.Read.GetContext(tb.Context(), &q.lane,
		`SELECT lane FROM activities WHERE activity_id = ?`, q.activity))
	return q
}

// place places n orders of one unit, each of another user.
func (q *queue) place(tb testing.TB, n int) []*order.Order {
	tb.Helper()
	const batch = 256
	orders := make([]*order.Order, n)
	for from := 0; from < n; from += batch {
		part := orders[from:min(from+batch, n)]
		call := &lua.PlaceCall{Lane: q.lane, Activity: q.activity}
		for i := range part {
			part[i] = q.next()
			call.Orders = append(call.Orders, q.placeOrder(tb, part[i]))
		}
		_, results, err := q.site.Scripts.Place(tb.Context(), call)
		require.NoError(tb, err)
		for _, r := range results {
			require.Equal(tb, lua.Placed, r.Code)
		}
	}
	return orders
}

// placeOrder is the script's input for an order.
func (q *queue) placeOrder(tb testing.TB, o *order.Order) lua.PlaceOrder {
	tb.Helper()
	record, err := order.EncodeRecord(o)
	require.NoError(tb, err)
	return lua.PlaceOrder{
		Task: order.TaskHash(o.Task), Digest: o.Digest, Number: o.Number.String(), User: o.User, SKU: "sku",
		Point: catalogue.DefaultPoint, Quantity: 1, Record: record,
		Entry: order.FormatEntry(o.Number, int64(o.PlacedAt), q.activity, o.User),
	}
}

// next makes an order like those that submit makes.
func (q *queue) next() *order.Order {
	q.placed++
	now := time.Now()
	o := &order.Order{
		Number: order.NewNumber(now, q.lane, uint32(q.placed)*0x9E3779B1), User: fmt.Sprintf("user-%07d", q.placed),
		Task: fmt.Sprintf("%d~%s~%022d", q.lane, q.activity, q.placed), Digest: "0123456789abcdef",
		Status: order.Unpaid, PlacedFrom: "127.0.0.1",
		Content: order.Content{
			Type: order.Seckill, Kind: catalogue.Virtual, Shop: "shop", Activity: q.activity,
			Point: catalogue.DefaultPoint, GoodsAmount: 100, TotalAmount: 100, Currency: "CNY",
			Delivery: catalogue.None,
			Room:     "live-42", Remark: strings.Repeat("x", remarkBytes), ShareCode: "a1b2c3d4", ShareSource: "feed",
			Inviter:  "user-7",
			PlacedAt: api.Millis(now.UnixMilli()), PayBefore: api.Millis(now.Add(15 * time.Minute).UnixMilli()),
			Items: []order.Item{
				{
					SKU: "sku", Kind: catalogue.Virtual, Title: "Thing sku", ImageURL: "https://img.example/sku.jpg",
					Quantity: 1, Price: 100, Point: catalogue.DefaultPoint,
				},
			},
		},
	}
	return o
}
