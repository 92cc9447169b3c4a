package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

// What came of orders is added up by their values, for all shops or for one.
func TestAttributionAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		zoe := w.buyer(t, "zoe")
		do[client.Address](t, zoe, 201, "createAddress", sent(addressBody))
		address := do[client.AddressList](t, zoe, 200, "listAddresses").Items[0].AddressID
		orders := func(k, sku, room string) (numbers []string) {
			body := object{
				"items": []object{{"sku_id": sku, "quantity": 1}}, "address_id": address, "room_id": room,
				"share_code": "s", "share_source": "feed", "inviter_id": "grace",
			}
			for _, o := range do[client.CreateOrders201JSONResponseBody](t, zoe, 201, "createOrders", key(k),
				sent(body)).Orders {
				numbers = append(numbers, o.OrderNumber)
			}
			return numbers
		}
		k := w.keeps(t, "admin")
		first := orders("a", "lamp", "x")
		w.paysOrders(t, zoe, "a", first...)
		w.op.do(t, 202, "refundOrder", param("order_number", first[0]), key("part"), sent(object{"amount": 100}))
		orders("b", "lamp", "x")
		w.paysOrders(t, zoe, "c", orders("c", "vase", "y")...)

		list := func(p *person, q string) client.AttributionList {
			return do[client.AttributionList](t, p, 200, "listAttribution", query(q))
		}
		totals := func(p *person, q string) client.AttributionTotals {
			return do[client.AttributionTotals](t, p, 200, "getAttributionTotals", query(q))
		}
		const all = "by=room_id&currency=CNY&sort=net&to=2999-01-01T00:00:00Z&from=2998-12-01T00:00:00Z"
		assert.Empty(t, list(w.op, all+"&activity_id=flash&shop_id=shop-1&value=x").Items)
		assert.Empty(t, totals(w.op, all).Days)
		for _, by := range []string{"share_code", "share_source", "inviter_id"} {
			assert.Len(t, list(w.op, "by="+by).Items, 1, by)
		}
		page := list(w.op, "by=room_id&sort=orders&page_size=1")
		assert.Equal(t, "x", page.Items[0].Value)
		assert.EqualValues(t, 2, page.Items[0].Orders)
		amount := page.Items[0].Amounts[0]
		assert.Equal(t, []int64{1, 100, amount.PaidAmount - 100},
			[]int64{amount.PaidOrders, amount.RefundedAmount, amount.NetAmount})
		next := list(w.op, "by=room_id&sort=orders&page_size=1&after="+page.NextCursor)
		assert.Equal(t, "y", next.Items[0].Value)
		assert.Empty(t, next.NextCursor)

		sums := totals(w.op, "by=room_id&time_zone=Asia/Shanghai")
		assert.EqualValues(t, 3, sums.Total.Orders)
		assert.Equal(t, "Asia/Shanghai", sums.TimeZone)
		assert.Len(t, sums.Days, 1)
		own := totals(k.person, "by=room_id")
		assert.EqualValues(t, 1, own.Total.Orders, "an operator of one shop sees its orders")
		assert.EqualValues(t, 1, own.Values)
		assert.Equal(t, "y", list(k.person, "by=room_id").Items[0].Value)
		k.do(t, 403, "listAttribution", query("by=room_id&shop_id=shop-1"))
		file := string(k.do(t, 200, "exportAttribution", query("by=room_id&bom=1")).Body)
		assert.Contains(t, file, "room_id,y,1,EUR,1,5500,0,5500")
		assert.NotContains(t, file, "room_id,x")
		for _, wrong := range []string{
			"by=", "by=status", "by=room_id&time_zone=Local", "by=room_id&time_zone=../../etc/passwd",
			"by=room_id&currency=cny",
			"by=room_id&from=2024-01-01T00:00:00Z&to=2025-03-01T00:00:00Z", "by=room_id&from=2999-01-01T00:00:00Z",
		} {
			assert.Equal(t, 422, w.op.send(t, w.op.request(t, "getAttributionTotals", query(wrong))).Status, wrong)
		}
	})
}
