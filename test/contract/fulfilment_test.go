package contract

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

// paid returns an order of a lamp of ada's that was paid in cash.
func (w *world) paid(t testing.TB) (number string) {
	t.Helper()
	number = w.orders(t, w.ada, rand.Text(), object{"sku_id": "lamp", "quantity": 1})
	w.op.do(t, 200, "markOrderPaid", param("order_number", number), sent(object{"reason": "Cash."}))
	return number
}

func TestWhatHappensAfterTheOrderAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		number := w.places(t, "k").OrderNumber // only Redis has it
		at := param("order_number", number)
		body := clone(addressBody)
		body["detail"], body["is_default"] = "14 Square", false
		office := do[client.Address](t, w.ada, 201, "createAddress", sent(body)).AddressID
		body["region"] = "FR"
		abroad := do[client.Address](t, w.ada, 201, "createAddress", sent(body)).AddressID

		changed := do[client.Order](t, w.ada, 200, "changeOrder", at, sent(object{"address_id": office}))
		assert.Equal(t, office, changed.Address.AddressID)
		assert.True(t, changed.AddressOpen)
		assert.Equal(t, "other_freight",
			w.ada.do(t, 409, "changeOrder", at, sent(object{"address_id": abroad})).Code())
		assert.Equal(t, "not_found", w.ada.do(t, 404, "changeOrder", at, sent(object{"address_id": "none"})).Code())
		own := sent(object{"sku_id": changed.Items[0].SKUID}) // test/e2e swaps orders
		assert.Equal(t, changed.Items, do[client.Order](t, w.ada, 200, "changeOrder", at, own).Items)
		eve := w.buyer(t, "eve")
		assert.Equal(t, "not_found", eve.do(t, 404, "changeOrder", at, sent(object{"address_id": office})).Code())
		assert.Equal(t, "conflict", w.op.do(t, 409, "packOrder", at).Code(), "it is not paid")
		w.op.do(t, 200, "markOrderPaid", at, sent(object{"reason": "Cash."}))

		unpacked := func(fulfilment string) int {
			list := query("fulfilment=" + fulfilment + "&order_number=" + number)
			return len(do[client.AdminOrderList](t, w.op, 200, "listAdminOrders", list).Items)
		}
		assert.Equal(t, 1, unpacked("unpacked"))
		packed := do[client.AdminOrder](t, w.op, 200, "packOrder", at)
		assert.Equal(t, "packed", packed.Fulfilment.State)
		assert.Equal(t, []int{0, 1, 0}, []int{unpacked("unpacked"), unpacked("packed"), unpacked("shipped")})
		assert.Equal(t, "already_packed",
			w.ada.do(t, 409, "changeOrder", at, sent(object{"address_id": w.address})).Code())
		assert.Equal(t, "conflict", w.op.do(t, 409, "deliverOrder", at).Code(), "it is not shipped")
		w.op.do(t, 200, "shipOrder", at, sent(object{"carrier": "DHL", "tracking_number": "J1"}))
		w.op.do(t, 200, "deliverOrder", at)

		mine := do[client.Order](t, w.ada, 200, "getOrder", at)
		assert.Equal(t, "delivered", mine.Fulfilment.State)
		assert.False(t, mine.AddressOpen)
		assert.Equal(t, "J1", mine.Fulfilment.TrackingNumber)
		listed := do[client.OrderList](t, w.ada, 200, "listOrders").Items
		assert.Equal(t, mine.Fulfilment, listed[0].Fulfilment)
		shown := do[client.AdminOrder](t, w.op, 200, "getAdminOrder", at)
		assert.Equal(t, w.address, shown.FormerAddresses[0].Address.AddressID)
		did := []string{}
		for _, line := range shown.Log {
			did = append(did, string(line.What))
		}
		assert.Equal(t, "placed address_changed paid packed shipped delivered", strings.Join(did, " "))
		csv := string(w.op.do(t, 200, "exportOrders", query("fulfilment=delivered")).Body)
		assert.Contains(t, csv, ",delivered,DHL,J1,")
	})
}

func TestAFileOfMarksAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		one, two := w.paid(t), w.paid(t)
		file := "order_number,carrier,tracking_number\n" + one + ",DHL,J1\n1,DHL,J2\n" + two + ",DHL,J3\n"
		a := w.op.do(t, 200, "shipOrders", content("text/csv; charset=utf-8", []byte(file)))
		var marked client.MarkedOrders
		require.NoError(t, json.Unmarshal(a.Body, &marked))
		assert.Equal(t, []int{2, 1}, []int{int(marked.Marked), int(marked.Failed)})
		assert.Equal(t, "not_found", marked.Items[1].Error.Code)
		for mediaType, code := range map[string]string{
			"application/json": "unsupported_media_type", "text/csv": "invalid_request", "": "unsupported_media_type",
		} {
			a := w.op.send(t, w.op.request(t, "shipOrders", content(mediaType, []byte("{}"))))
			assert.Equal(t, code, a.Code(), mediaType)
		}
		full := "order_number,fulfilment,carrier,remark\n" +
			strings.Repeat("1,shipped,DHL,"+strings.Repeat("x", 400)+"\n", 999) + two + ",shipped,DHL,\n"
		made := do[client.Key](t, w.op, 201, "createKey", key("k"), sent(object{"name": "packer", "scope": "support"}))
		packer := &person{shop: w.shop, name: "key:packer", token: made.Secret}
		a = packer.do(t, 200, "shipOrders", content("text/csv", []byte(full)))
		require.NoError(t, json.Unmarshal(a.Body, &marked))
		assert.Len(t, marked.Items, 1000, "the file of 1,000 orders")
		large := w.raw(t, fmt.Sprintf("POST /admin/api/v1/orders:ship HTTP/1.1\r\nHost: x\r\n"+
			"Content-Type: text/csv\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", w.op.token, 1<<20+1))
		assert.Equal(t, 413, large.Status, "the length is enough to refuse")
	})
}
