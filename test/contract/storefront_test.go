package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

func TestTheGoodsOfTheShopAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.op.do(t, 200, "putSKU", param("sku_id", "desk"), sent(lampBody))
		w.op.do(t, 200, "putPoint", param("point_id", "south"), sent(object{"name": "South"}))
		for _, list := range []struct{ id, filter, item string }{
			{"listShopSKUs", "&shop_id=shop-1", "sku_id"},
			{"listShopPoints", "", "point_id"},
			{"listRegions", "", "region"},
		} {
			first := w.ada.do(t, 200, list.id, query("page_size=1"+list.filter)).JSON(t)
			next := first["next_cursor"].(string)
			assert.Equal(t, next, first["items"].([]any)[0].(object)[list.item])
			a := w.ada.do(t, 200, list.id, query("page_size=1&after="+next+list.filter))
			require.Len(t, a.JSON(t)["items"], 1)
			assert.NotEqual(t, next, a.JSON(t)["items"].([]any)[0].(object)[list.item])
			again := w.ada.send(t, w.request(t, list.id, query("page_size=1&after="+next+list.filter),
				func(r *request) { r.header.Set("If-None-Match", a.Header.Get("ETag")) }))
			assert.Equal(t, http.StatusNotModified, again.Status)
			assert.Empty(t, again.Body)
		}
		assert.Len(t, do[client.ShopPointList](t, w.ada, 200, "listShopPoints", query("pickup=true")).Items, 1)
		lamp := w.ada.do(t, 200, "getShopSKU", param("sku_id", "lamp"))
		assert.True(t, site.Read[client.ShopSKU](t, http.StatusOK, lamp).InStock)
		assert.NotContains(t, string(lamp.Body), `"stock"`)
		w.ada.do(t, 404, "getShopSKU", param("sku_id", "nothing"))
	})
}

func TestQuotesOfOrdinaryOrdersAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		items := []object{{"sku_id": "lamp", "quantity": 2}, {"sku_id": "nothing", "quantity": 1}}
		quoted := do[client.Quotes](t, w.ada, 200, "confirmOrders",
			sent(object{"items": items, "address_id": w.address}))
		assert.Equal(t, "north", quoted.Quotes[0].PointID)
		assert.Equal(t, "not_found", quoted.Problems[0].Code)
		quoted = do[client.Quotes](t, w.ada, 200, "confirmOrders",
			sent(object{"items": items[:1], "delivery": "pickup", "pickup_point_id": "north"}))
		assert.Equal(t, "north", quoted.Quotes[0].PickupPointID)
		assert.Equal(t, "address_required",
			w.ada.do(t, 422, "confirmOrders", sent(object{"items": items[:1]})).Code())
		w.ada.do(t, 404, "confirmOrders", sent(object{"items": items[:1], "address_id": "nothing"}))
	})
}

func TestAddressesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		address := w.ada.do(t, 201, "createAddress", sent(addressBody)).JSON(t)
		id := param("address_id", address["address_id"].(string))
		w.ada.do(t, 200, "replaceAddress", id, sent(address))
		w.ada.do(t, 200, "listAddresses", query("page=1&page_size=100"))
		w.ada.do(t, 204, "deleteAddress", id)
		w.ada.do(t, 404, "deleteAddress", id)
	})
}
