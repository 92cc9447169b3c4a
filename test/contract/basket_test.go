package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestOrdersOfSeveralSkusAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		shade := clone(lampBody)
		w.op.do(t, 200, "putSKU", param("sku_id", "shade"), sent(shade))
		body := saleBody()
		delete(body, "segments")
		delete(body, "offer_within_s")
		lamp := body["skus"].([]object)[0]
		delete(lamp, "waves")
		other := clone(lamp)
		other["sku_id"] = "shade"
		body["skus"], body["basket_max"] = []object{lamp, other}, 2
		made := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(body))
		assert.Equal(t, 2, made.BasketMax)
		sale := param("activity_id", made.ActivityID)
		w.op.do(t, 200, "publishActivity", sale)
		assert.Equal(t, 2, do[client.Activity](t, w.ada, 200, "getActivity", sale).BasketMax)
		w.op.do(t, 422, "changeActivity", sale, sent(object{"offer_within_s": 60}))

		lines := []any{object{"sku_id": "shade", "quantity": 2}, object{"sku_id": "lamp"}}
		take := object{"activity_id": made.ActivityID, "lines": lines}
		path := param("path", do[client.Path](t, w.ada, 200, "takePath", sent(take)).Path)
		w.ada.do(t, 422, "takePath", sent(object{"activity_id": made.ActivityID}))
		w.ada.do(t, 422, "takePath", sent(object{
			"activity_id": made.ActivityID, "lines": lines, "sku_id": "lamp",
		}))
		order := object{"lines": lines, "delivery": "express", "address_id": w.address}
		quote := do[client.Confirmation](t, w.ada, 200, "confirm", path, sent(order))
		assert.Len(t, quote.Items, 2)
		order["confirmation"] = quote.Confirmation
		submitted := do[client.Submitted](t, w.ada, 202, "submit", path, key("basket"), sent(order))
		w.ada.do(t, 422, "submit", path, key("other"), sent(object{"quantity": 1, "address_id": w.address}))
		placed := do[client.Order](t, w.ada, 200, "getOrder", param("order_number", submitted.OrderNumber))
		require.Len(t, placed.Items, 2)
		assert.Equal(t, "lamp", placed.Items[0].SKUID)
		assert.EqualValues(t, 3*1900, placed.GoodsAmount)
	})
}

func TestBundlesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.op.do(t, 200, "putSKU", param("sku_id", "shade"), sent(clone(lampBody)))
		w.op.do(t, 200, "putSKU", param("sku_id", "set"), sent(clone(lampBody)))
		body := saleBody()
		delete(body, "segments")
		delete(body, "offer_within_s")
		lamp := body["skus"].([]object)[0]
		delete(lamp, "waves")
		other := clone(lamp)
		other["sku_id"] = "shade"
		parts := []object{{"sku_id": "shade", "quantity": 2}, {"sku_id": "lamp", "quantity": 1}}
		body["skus"] = []object{lamp, other, {"sku_id": "set", "flash_price": 5000, "parts": parts}}
		made := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(body))
		require.Len(t, made.Skus, 3)
		assert.Equal(t, []client.BundleParts_Item{{SKUID: "lamp", Quantity: 1}, {SKUID: "shade", Quantity: 2}},
			made.Skus[2].Parts)
		sale := param("activity_id", made.ActivityID)
		w.op.do(t, 200, "publishActivity", sale)
		assert.Len(t, do[client.Activity](t, w.ada, 200, "getActivity", sale).Skus[2].Parts, 2)
		w.site.Number(t)
		published := do[client.PlatformEventList](t, w.op, 200, "listEvents", query("types=activity.published"))
		assert.Len(t, published.Items[len(published.Items)-1].Data.Activity.Skus[2].Parts, 2)
		refused := clone(body)
		twice := []object{parts[0], parts[0]}
		for field, bad := range map[string]object{
			"skus[2].parts":             {"parts": parts[:1]},
			"skus[2].stock":             {},
			"skus[2].waves[0].point_id": {"parts": parts, "waves": []object{{"quantity": 1, "at": body["starts_at"]}}},
			"skus[2].parts[0].sku_id":   {"parts": []object{{"sku_id": "mug", "quantity": 1}, parts[0]}},
			"skus[2].parts[1].sku_id":   {"parts": twice},
		} {
			bad["sku_id"], bad["flash_price"] = "set", 5000
			refused["skus"] = []object{lamp, other, bad}
			answer := w.op.do(t, 422, "createActivity", sent(refused))
			assert.Contains(t, string(answer.Body), `"`+field+`"`)
		}

		path := param("path", do[client.Path](t, w.ada, 200, "takePath",
			sent(object{"activity_id": made.ActivityID, "sku_id": "set"})).Path)
		order := object{"quantity": 1, "delivery": "express", "address_id": w.address}
		quote := do[client.Confirmation](t, w.ada, 200, "confirm", path, sent(order))
		assert.Equal(t, "set", quote.Bundle.SKUID)
		submitted := do[client.Submitted](t, w.ada, 202, "submit", path, key("bundle"), sent(order))
		number := param("order_number", submitted.OrderNumber)
		placed := do[client.Order](t, w.ada, 200, "getOrder", number)
		assert.Equal(t, quote.Bundle, placed.Bundle)
		assert.EqualValues(t, 5000, placed.GoodsAmount)
		require.Len(t, placed.Items, 2)
		w.op.do(t, 200, "markOrderPaid", number, sent(object{"reason": "Cash."})) // SQL has the order then
		list := do[client.AdminOrderList](t, w.op, 200, "listAdminOrders", query("sku_id=set")).Items
		require.Len(t, list, 1)
		assert.Equal(t, quote.Bundle, list[0].Bundle)
	})
}
