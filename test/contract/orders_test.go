package contract

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestOrdersOfASaleAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		path := param("path", w.path(t, w.ada))
		confirmed := do[client.Confirmation](t, w.ada, 200, "confirm", path,
			sent(object{"quantity": 2, "delivery": "express", "address_id": w.address}))
		assert.Equal(t, "north", confirmed.PointID)
		body := sent(withTexts(object{"quantity": 2, "confirmation": confirmed.Confirmation}))
		placed := w.ada.do(t, 202, "submit", path, key("k1"), body)
		assert.Equal(t, placed.Task(t), w.ada.do(t, 202, "submit", path, key("k1"), body).Task(t))
		assert.Equal(t, "idempotency_key_reused",
			w.ada.do(t, 422, "submit", path, key("k1"), sent(object{"quantity": 1, "address_id": w.address})).Code())
		assert.Equal(t, "address_required",
			w.ada.do(t, 422, "submit", path, key("k2"), sent(object{"quantity": 1})).Code())
		pickup := object{"quantity": 1, "delivery": "pickup", "pickup_point_id": "north"}
		assert.Equal(t, "north",
			do[client.Confirmation](t, w.ada, 200, "confirm", path, sent(pickup)).PickupPointID)
		second := do[client.Submitted](t, w.ada, 202, "submit", path, key("k3"), sent(pickup))

		number := placed.Placed(t).OrderNumber
		w.listsOrders(t, number, "cache")
		w.site.Drain(t)
		w.listsOrders(t, number, "sql")
		found := do[client.AdminOrderList](t, w.op, 200, "listAdminOrders",
			query("sku_id=lamp&room_id=room-7&share_code=s1&share_source=feed&inviter_id=grace")).Items
		require.Len(t, found, 1)
		assert.Equal(t, number, found[0].OrderNumber)
		cancel := param("order_number", second.OrderNumber)
		assert.Equal(t, "cancelled", do[client.Order](t, w.ada, 200, "cancelOrder", cancel).Status)
		assert.Equal(t, "cancelled", do[client.Order](t, w.ada, 200, "cancelOrder", cancel).Status)
		assert.Equal(t, "cancelled", string(do[client.AdminOrder](t, w.op, 200, "cancelAdminOrder", cancel,
			sent(object{"reason": "again"})).Status))
		assert.Equal(t, "conflict", w.op.do(t, 409, "markOrderPaid", cancel, sent(object{"reason": "cash"})).Code())
		assert.Equal(t, "not_found", w.op.do(t, 404, "cancelAdminOrder", param("order_number", "1"),
			sent(object{"reason": "gone"})).Code())
		w.op.do(t, 200, "listAdminOrders")
	})
}

func TestWhatOperatorsDecideAboutUnpaidOrdersAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		number := func(k string) part {
			submitted := do[client.Submitted](t, w.ada, 202, "submit", param("path", w.path(t, w.ada)), key(k),
				sent(object{"quantity": 1, "delivery": "pickup", "pickup_point_id": "north"}))
			return param("order_number", submitted.OrderNumber)
		}
		cancelled, paid := number("k1"), number("k2") // only Redis has them
		assert.Equal(t, "cancelled", string(do[client.AdminOrder](t, w.op, 200, "cancelAdminOrder", cancelled,
			sent(object{"reason": "The buyer called."})).Status))
		assert.Equal(t, "paid", string(do[client.AdminOrder](t, w.op, 200, "markOrderPaid", paid,
			sent(object{"reason": "Cash, receipt 17"})).Status))
		assert.Equal(t, "outside", do[client.Refund](t, w.op, 202, "refundOrder", paid, key("part"),
			sent(object{"amount": 1})).Channel)
		back := object{"reference": "Transfer 4711", "reason": "Broken"}
		assert.Equal(t, "refunded", string(do[client.AdminOrder](t, w.op, 200, "markOrderRefunded", paid,
			sent(back)).Status))
		assert.Equal(t, "conflict", w.op.do(t, 409, "markOrderRefunded", cancelled, sent(back)).Code())
		again := object{"reason": "It came back."}
		assert.Equal(t, "conflict", w.op.do(t, 409, "restockOrder", cancelled, sent(again)).Code())
		restocked := do[client.AdminOrder](t, w.op, 200, "restockOrder", paid, sent(again))
		assert.Equal(t, "restocked", string(restocked.Events[len(restocked.Events)-1].What))
	})
}

// withTexts returns the body of a submit with all texts.
func withTexts(body object) object {
	maps.Copy(body, object{
		"remark": "Ring\ttwice\nplease", "fields": object{"gift": "yes"}, "room_id": "room-7", "share_code": "s1",
		"share_source": "feed", "inviter_id": "grace", "client_reference": "PO/2026-1", "notify_token": "form-1",
	})
	return body
}

// listsOrders reads the two orders of ada, alone and in lists, with all filters.
func (w *world) listsOrders(t *testing.T, number, source string) {
	t.Helper()
	list := func(filter string) client.OrderList {
		return do[client.OrderList](t, w.ada, 200, "listOrders", query(filter))
	}
	assert.Equal(t, source, do[client.Order](t, w.ada, 200, "getOrder", param("order_number", number)).Source)
	pages := list("page=1&page_size=1")
	assert.EqualValues(t, 2, pages.Total)
	assert.Len(t, list("page_size=5&before="+pages.NextCursor).Items, 1)
	assert.Len(t, list("status=unpaid&type=seckill&kind=physical&shop_id=shop-1&name=LAMP&period=last_three_months"+
		"&order_number="+number).Items, 1)
	assert.Empty(t, list("period=older").Items)
}

func TestAQuantityThatIsNotSaidIsOne(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		path, to := param("path", w.path(t, w.ada)), object{"address_id": w.address}
		assert.EqualValues(t, 1, do[client.Confirmation](t, w.ada, 200, "confirm", path, sent(to)).Items[0].Quantity)
		placed := do[client.Submitted](t, w.ada, 202, "submit", path, key("k1"), sent(to)).OrderNumber
		ordinary := object{"items": []object{{"sku_id": "lamp"}}, "address_id": w.address}
		w.ada.do(t, 200, "confirmOrders", sent(ordinary))
		orders := do[client.CreateOrders201JSONResponseBody](t, w.ada, 201, "createOrders", key("k2"), sent(ordinary))
		for _, number := range []string{placed, orders.Orders[0].OrderNumber} {
			o := do[client.Order](t, w.ada, 200, "getOrder", param("order_number", number))
			assert.EqualValues(t, 1, o.Items[0].Quantity)
		}
	})
}

func TestTasksAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		task := w.places(t, "k").TaskID
		w.ada.do(t, 200, "getTask", param("task_id", task))
		first, last := w.watch(t, task, func() { w.site.Drain(t) })
		assert.Equal(t, "SUBMITTED", first.Status)
		assert.Equal(t, "SUCCESS", last.Status)
		first, _ = w.watch(t, task, func() {})
		assert.Equal(t, "SUCCESS", first.Status)
		w.ada.do(t, 200, "getTask", param("task_id", task))

		sale := "activity_id=" + w.activity
		for _, q := range []string{sale, sale + "&sku_id=lamp"} {
			list := do[client.ListTasks200JSONResponseBody](t, w.ada, 200, "listTasks", query(q))
			require.Len(t, list.Items, 1)
			assert.Equal(t, task, list.Items[0].TaskID)
		}
		other := query(sale + "&sku_id=other")
		assert.Empty(t, do[client.ListTasks200JSONResponseBody](t, w.ada, 200, "listTasks", other).Items)
		w.ada.do(t, 404, "listTasks", query("activity_id=nothing"))
	})
}

func TestOrdinaryOrdersAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		order := func(reference string) part {
			return sent(object{
				"items": []object{{"sku_id": "lamp", "quantity": 2}}, "address_id": w.address, "remark": "soon",
				"client_reference": reference,
			})
		}
		orders := w.ada.do(t, 201, "createOrders", key("k4"), order("PO/2026-2"))
		again := w.ada.do(t, 201, "createOrders", key("k4"), order("PO/2026-2"))
		assert.Equal(t, orders.Kept(t), again.Kept(t))
		assert.Equal(t, "idempotency_key_reused",
			w.ada.do(t, 422, "createOrders", key("k4"), order("PO/2026-3")).Code())
		found := do[client.AdminOrderList](t, w.op, 200, "listAdminOrders", query("client_reference=PO/2026-2")).Items
		require.Len(t, found, 1)
		assert.Equal(t, "PO/2026-2", found[0].ClientReference)
		w.ada.do(t, 409, "createOrders", key("k5"),
			sent(object{"items": []object{{"sku_id": "lamp", "quantity": 9999}}, "address_id": w.address}))
		w.ada.do(t, 404, "createOrders", key("k6"),
			sent(object{"items": []object{{"sku_id": "nothing", "quantity": 1}}}))
	})
}

// A voucher with the price 0 is paid at once.
func TestFreeVouchersAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.op.do(t, 200, "putSKU", param("sku_id", "card"), sent(voucherBody(0)))
		placed := do[client.CreateOrders201JSONResponseBody](t, w.ada, 201, "createOrders", key("k7"),
			sent(object{"items": []object{{"sku_id": "card", "quantity": 1}}})).Orders
		number := placed[0].OrderNumber
		w.ada.do(t, 201, "beginPayment", key("k8"),
			sent(object{"order_numbers": []string{number}, "channel": "sandbox"}))
		paid := do[client.Order](t, w.ada, http.StatusOK, "getOrder", param("order_number", number))
		assert.NotEmpty(t, paid.VoucherCode)
		w.op.do(t, 200, "listAdminOrders")
	})
}
