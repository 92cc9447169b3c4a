package contract

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web"
	"onrush/web/client"
)

// makesOneOfEach makes what the operations need: an order that stays in the queue, a dead entry, payments, a voucher,
// a block, an endpoint and a key.
func (w *world) makesOneOfEach(t testing.TB) {
	t.Helper()
	w.dead = w.addDeadEntry(t)
	placed := w.places(t, "first")
	w.number, w.task = placed.OrderNumber, placed.TaskID
	w.money = w.pays(t, "first")
	w.goesBack(t, &w.money)
	eve := w.buyer(t, "eve")
	eve.do(t, 201, "createAddress", sent(addressBody))
	w.many = w.paysFor(t, eve, "many", object{"sku_id": "lamp", "quantity": 100}, 0)
	w.cash = w.orders(t, eve, "cash", object{"sku_id": "lamp", "quantity": 100})
	w.op.do(t, 200, "markOrderPaid", param("order_number", w.cash), sent(object{"reason": "Cash."}))
	w.outside = do[client.Refund](t, w.op, 202, "refundOrder", param("order_number", w.cash), key("outside"),
		sent(object{"amount": 100})).RefundNumber
	w.back = w.wentBack(t, eve, "back")
	w.op.do(t, 200, "putSKU", param("sku_id", "gift"), sent(voucherBody(4900)))
	gift := w.paysFor(t, eve, "gift", object{"sku_id": "gift", "quantity": 1}, 0)
	w.voucher = do[client.Order](t, eve, 200, "getOrder", param("order_number", gift.order)).VoucherCode
	w.op.do(t, 200, "putBlocked", param("subject", "user:mallory"), sent(object{"reason": "resells"}))
	w.registers(t, http.StatusOK)
	w.key = do[client.Key](t, w.op, 201, "createKey", key("first"),
		sent(object{"name": "the first", "scope": "read"})).KeyID
}

// caller returns a person who may call the operation.
func (w *world) caller(op *operation) *person {
	switch op.role() {
	case web.RoleAdmin:
		return w.op
	case web.RoleUser:
		return w.ada
	}
	return &person{shop: w.shop}
}

// partner makes a voucher whose codes are a partner's.
func (w *world) partner(t testing.TB) string {
	t.Helper()
	w.op.do(t, 200, "putSKU", param("sku_id", "spa"), sent(voucherBody(4900)))
	w.op.do(t, 200, "importVouchers", param("sku_id", "spa"), sent(object{"codes": []string{}}))
	return "spa"
}

// wentBack returns an order of a buyer, placed with a key, that was paid in cash and whose money went back.
func (w *world) wentBack(t testing.TB, buyer *person, k string) (number string) {
	t.Helper()
	number = w.orders(t, buyer, k, object{"sku_id": "lamp", "quantity": 1})
	w.op.do(t, 200, "markOrderPaid", param("order_number", number), sent(object{"reason": "Cash."}))
	w.op.do(t, 200, "markOrderRefunded", param("order_number", number),
		sent(object{"reason": "Broken.", "reference": "7"}))
	return number
}

// good returns a valid request of the operation.
func (w *world) good(t testing.TB, op *operation) *request {
	t.Helper()
	r := w.request(t, op.id)
	for _, p := range op.params("path") {
		value, ok := map[string]string{
			"activity_id": w.activity, "sku_id": "lamp", "point_id": "north", "address_id": w.address,
			"order_number": w.number, "task_id": w.task, "dead_id": w.dead, "file": "docs.js", "path": "",
			"pay_number": w.money.payment, "refund_number": w.money.refund, "name": "audit",
			"change_id": "change:nothing", "subject": "user:mallory", "code": w.voucher,
			"endpoint_id": "erp", "delivery_id": w.delivery, "key_id": w.key, "version": "", "folder": "shop",
			"user_id": "mallory", "picture_id": "", "entry_id": "nothing", "reminder_id": "nothing", "hold_id": "",
		}[p.Name]
		if p.Name == "version" {
			value = w.version(t)
		}
		if op.id == "getPageAsset" && p.Name == "file" {
			value = "main.js"
		} else if op.id == "getDemoPicture" {
			value = "lamp.svg"
		}
		if p.Name == "place" {
			value, ok = w.place(t), true
		}
		require.True(t, ok, "no value for {%s}", p.Name)
		if p.Name == "path" {
			value = w.path(t, w.ada)
		}
		r.params[p.Name] = value
	}
	if op.id == "search" {
		query("q=ada")(r)
	}
	if op.id == "listPayments" {
		query("order_number=" + w.money.order)(r)
	}
	if op.id == "getChallenge" || op.id == "listTasks" {
		query("activity_id=" + w.activity)(r)
	}
	if op.id == "watchMyEvents" {
		query("timeout_s=1")(r)
	}
	if op.needsKey() {
		key("good-" + op.id)(r)
	}
	if op.id == "startCrowd" {
		w.closeSale(t)
	}
	if op.body() != nil {
		body, ok := w.outsideBodies()[op.id]
		if !ok {
			body, ok = w.bodies()[op.id]
		}
		require.True(t, ok, "no body for %s", op.id)
		sent(body)(r)
	}
	if op.id == "importVouchers" || op.id == "withdrawVouchers" {
		r.params["sku_id"] = w.partner(t)
	}
	if number := map[string]string{
		"refundOrder": w.many.order, "markOrderRefunded": w.cash, "restockOrder": w.back,
		"getAdminOrder": w.money.order, "noteOrder": w.money.order, "reportOrderPaid": w.cash,
	}[op.id]; number != "" {
		r.params["order_number"] = number
	}
	w.names(t, op, r)
	require.NoError(t, w.caller(op).fits(r), op.id)
	return r
}

// names puts into the path what the operation needs in a state of its own.
func (w *world) names(t testing.TB, op *operation, r *request) {
	t.Helper()
	switch op.id {
	case "joinWaitlist":
		sent(w.waits(w.soldOut(t)))(r)
	case "remind":
		sent(object{
			"activity_id": w.soldOut(t), "sku_id": "lamp", "kind": "units", "notify_token": "form-1",
		})(r)
	case "enterDraw", "listDrawEntries", "getDraw", "listLots", "getAdminDraw":
		if r.params["activity_id"] = w.drawn(t); op.id == "enterDraw" {
			sent(w.enters())(r)
		}
	case "uploadPicture":
		content("image/png", png(1, 1))(r)
	case "shipOrders":
		content("text/csv", []byte("order_number,carrier\n"+w.paid(t)+",DHL\n"))(r)
	case "packOrder", "shipOrder":
		r.params["order_number"] = w.paid(t)
	case "deliverOrder":
		number := w.paid(t)
		w.op.do(t, 200, "shipOrder", param("order_number", number), sent(object{"carrier": "DHL"}))
		r.params["order_number"] = number
	case "changeOrder":
		r.params["order_number"] = w.paid(t)
		sent(object{"address_id": w.address})(r)
	case "getPicture", "deletePicture":
		r.params["picture_id"] = w.picture(t, 7).PictureID
	case "putActivity", "putActivityFile":
		r.params["activity_id"] = w.draft
	case "changeActivity":
		r.params["activity_id"] = w.comingSale(t)
	case "holdOrder":
		r.params["order_number"] = w.orders(t, w.ada, rand.Text(), object{"sku_id": "lamp", "quantity": 1})
	case "nameHold", "releaseHold", "orderHold":
		r.params["hold_id"] = w.held(t).HoldID
	case "reportRefund":
		r.params["refund_number"] = w.outside
	}
}

// bodies are valid bodies, with every field that the file declares.
func (w *world) bodies() map[string]object {
	lamp, point, address := clone(lampBody), clone(pointBody), clone(addressBody)
	aLamp := object{"sku_id": "lamp", "quantity": 1}
	lamp["sku_id"], point["point_id"], address["address_id"] = "lamp", "north", w.address
	return map[string]object{
		"takePath": {"activity_id": w.activity, "sku_id": "lamp"}, "joinLine": {"activity_id": w.activity},
		"confirm": {"quantity": 1, "delivery": "express", "address_id": w.address},
		"submit": {
			"quantity": 1, "delivery": "express", "address_id": w.address, "remark": "soon",
			"fields": object{"gift": "yes"}, "room_id": "r", "share_code": "c", "share_source": "s", "inviter_id": "i",
			"client_reference": "po-1", "notify_token": "form-1",
		},
		"createOrders": {
			"items": []any{aLamp}, "delivery": "express", "address_id": w.address,
			"remark": "soon", "client_reference": "po-1", "notify_token": "form-1",
		},
		"confirmOrders": {
			"items": []any{aLamp}, "delivery": "express", "address_id": w.address,
			"remark": "soon", "client_reference": "po-1", "notify_token": "form-1",
		},
		"eraseUser": {"confirm": "mallory"}, "joinWaitlist": w.waits(w.activity), "remind": {},
		"createAddress": clone(addressBody), "replaceAddress": address, "putSKU": lamp, "putPoint": point,
		"createActivity": saleBody(), "putActivity": saleBody(), "putActivityFile": saleBody(),
		"changeActivity": {
			"title": "Lamps", "ends_at": time.Now().Add(2 * time.Hour), "purchase_limit": 1000000, "permit_ratio": 60,
			"human_check": "none", "limits": limitsBody(), "waiting_room": object{"paths_per_second": -1},
			"description": "Lamps", "image_url": "https://example.com/sale.jpg",
			"images": []any{"https://example.com/1.jpg"}, "segments": []any{"members"}, "offer_within_s": 900,
			"pay_grace_s": 300, "expected_visitors": 6000,
			"skus": []object{{"sku_id": "lamp", "purchase_limit": 1000000, "waves": laterWave()}},
		},
		"changeSKUStock": {"delta": 1},

		"importVouchers": {"codes": []string{"SPA-1"}}, "withdrawVouchers": {"codes": []string{"SPA-1"}},
		"setSKUStock": {"stock": 1000},
		"setStock":    {"sku_id": "lamp", "point_id": "0", "quantity": 100000},
		"changeStock": {"sku_id": "lamp", "point_id": "0", "delta": 1},
		"putBlocked":  {"reason": "resells", "until": time.Now().Add(time.Hour)},
		"beginPayment": {
			"order_numbers": []any{w.number}, "channel": "sandbox", "return_url": site.ShopOrigin + "/paid",
		},
		"retryRefunds": {"status": "failed", "channel": "sandbox", "reason": "operator"},
		"refundOrder": {
			"amount": 1, "reason": "A scratch.", "force": false, "items": []any{aLamp},
		},
		"refundOrders":   {"order_numbers": []any{w.money.order}, "reason": "Withdrawn."},
		"clearFlag":      {"reason": "The bank decided for us."},
		"redeemVoucher":  {"where": "Till 3"},
		"changeSettings": {"log": "warn"},
		"createKey":      {"name": rand.Text(), "scope": "till", "shop_id": "s", "expires_at": "2999-01-01T00:00:00Z"},
		"putEndpoint": {
			"url": "http://127.0.0.1:1/events", "types": []string{"payment.flagged", "order.paid"}, "enabled": true,
		},
		// There is no such event, whatever field is left out: no span is being sent when the next request comes.
		"resendEvents": {
			"from": "2020-01-01T00:00:00.000Z", "to": "2020-01-02T00:00:00.000Z", "after": "4711000000",
			"up_to": "4712000000",
		},
		"setSKUStocks": {"items": []any{object{"sku_id": "lamp", "stock": 1000, "version": 0}}},
		"putSKUs":      {"items": []any{lamp}}, "putPoints": {"items": []any{point}},
		"cloneActivity":     {"starts_at": time.Now(), "ends_at": time.Now().Add(2 * time.Hour)},
		"noteOrder":         {"text": "The buyer called."},
		"markOrderPaid":     {"reason": "Cash, receipt 17"},
		"markOrderRefunded": {"reference": "7", "reason": "Broken", "amount": 1, "force": false, "items": []any{aLamp}},

		"cancelAdminOrder": {"reason": "The buyer called."}, "restockOrder": {"reason": "It came back."},
		"replayAllDead": {"reason": "nothing", "activity_id": w.activity},
		"startCrowd":    {"activity_id": w.closed, "sku_id": "closed", "buyers": 1},
	}
}

// outsideBodies are valid bodies of what the checkout of a shop reports, of what follows an order, and of who may buy.
func (w *world) outsideBodies() map[string]object {
	bodies := w.holdBodies()
	maps.Copy(bodies, map[string]object{
		"holdOrder": {"user_id": "ada", "reference": "cart-1", "until": time.Now().Add(time.Hour)},
		"reportOrderPaid": {
			"user_id": "eve", "provider": "adyen", "reference": rand.Text(), "amount": 1, "currency": "EUR",
			"paid_at": time.Now().Add(-time.Minute),
		},
		"devToken":     {"user_id": "ada", "role": "user", "segments": []any{"members"}},
		"changeOrder":  {"address_id": "a-1"},
		"enterDraw":    {"sku_id": "lamp", "quantity": 1, "delivery": "express", "address_id": "a-1"},
		"addBuyers":    {"user_ids": []any{"ada"}},
		"makeCodes":    {"count": 1, "uses": 2},
		"revokeCodes":  {"codes": []any{"7KQ2-9XWM-T4RB-0HZV"}},
		"shipOrder":    {"carrier": "DHL", "tracking_number": "J1"},
		"reportRefund": {"status": "done", "amount": 100, "currency": "EUR", "reference": "re_1", "reason": "none"},
	})
	return bodies
}

// clone copies a JSON object, so that it can be changed.
func clone(o object) object {
	data, err := json.Marshal(o)
	if err != nil {
		panic(err) // an object of a test that can't be written
	}
	var c object
	if err := json.Unmarshal(data, &c); err != nil {
		panic(err)
	}
	return c
}
