package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

// span is a time in which everything in these tests happens.
const span = "&from=2026-01-01T00:00:00Z&to=2100-01-01T00:00:00Z"

func TestSKUsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		lamp, unused := param("sku_id", "lamp"), param("sku_id", "unused")
		read := w.op.do(t, 200, "getSKU", lamp).JSON(t)
		again := w.op.do(t, 200, "putSKU", lamp, sent(read)).JSON(t)
		w.op.do(t, 409, "putSKU", lamp, sent(read))
		delete(read, "version")
		assert.Subset(t, again, read, "what was read can be sent back")
		for range 2 {
			raised := do[client.SKU](t, w.op, 200, "changeSKUStock", lamp, key("s1"), sent(object{"delta": 5}))
			assert.EqualValues(t, 1005, raised.Stock)
		}
		w.op.do(t, 409, "changeSKUStock", lamp, key("s2"), sent(object{"delta": -1006}))
		w.op.do(t, 422, "changeSKUStock", lamp, key("s1"), sent(object{"delta": 6}))
		w.op.do(t, 404, "changeSKUStock", param("sku_id", "nothing"), key("s1"), sent(object{"delta": 6}))
		counted := do[client.SKU](t, w.op, 200, "setSKUStock", lamp, sent(object{"stock": 900, "version": 2}))
		assert.Equal(t, []int64{900, 3}, []int64{counted.Stock, counted.StockVersion})
		stale := w.op.do(t, 409, "setSKUStock", lamp, sent(object{"stock": 800, "version": 1}))
		assert.Equal(t, "stale_version", stale.Code())
		problem := site.Read[client.Problem](t, 409, stale)
		assert.EqualValues(t, 3, problem.Version)
		require.Len(t, problem.Changes, 2)
		assert.Equal(t, "stock", problem.Changes[0].Fields[0].Field)
		w.op.do(t, 404, "setSKUStock", param("sku_id", "nothing"), sent(object{"stock": 6}))
		w.op.do(t, 404, "getSKU", param("sku_id", "nothing"))
		w.op.do(t, 200, "putSKU", unused, sent(lampBody))
		w.op.do(t, 204, "deleteSKU", unused)
		w.op.do(t, 404, "deleteSKU", unused)
		w.op.do(t, 409, "deleteSKU", lamp)

		w.op.do(t, 200, "listSKUs", query("page=1&page_size=5"))
		w.op.do(t, 200, "putSKU", param("sku_id", "desk"), sent(lampBody))
		for _, filter := range []string{"shop_id=shop-1", "shop_id=shop-1" + span} {
			first := do[client.SKUList](t, w.op, 200, "listSKUs", query("page_size=1&"+filter))
			next := do[client.SKUList](t, w.op, 200, "listSKUs",
				query("page_size=1&"+filter+"&after="+first.NextCursor))
			require.Len(t, next.Items, 1, filter)
			assert.NotEqual(t, first.Items, next.Items, filter)
			assert.Zero(t, next.Total)
		}
		assert.Len(t, do[client.SKUList](t, w.op, 200, "listSKUs", query("activity_id="+w.activity)).Items, 1)
	})
}

func TestBatchesOfSKUsAndPointsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		lamp, card, north := clone(lampBody), clone(lampBody), clone(pointBody)
		lamp["sku_id"], card["sku_id"], north["point_id"] = "lamp", "card-1", "north"
		skus := do[client.SKUBatch](t, w.op, 200, "putSKUs", sent(object{"items": []object{card, lamp}})).Items
		require.Len(t, skus, 2)
		assert.Equal(t, "card-1", skus[0].SKUID)
		card["version"] = 1
		stale := w.op.do(t, 409, "putSKUs", sent(object{"items": []object{lamp, card}}))
		assert.Contains(t, string(stale.Body), "items[1]")
		assert.Equal(t, skus[1], do[client.SKU](t, w.op, 200, "getSKU", param("sku_id", "lamp")),
			"none of the lines is stored")

		set := func(version int64, sku string) []object {
			return []object{{"sku_id": "card-1", "stock": 7}, {"sku_id": sku, "stock": 8, "version": version}}
		}
		stock := do[client.SKUBatch](t, w.op, 200, "setSKUStocks",
			sent(object{"items": set(skus[1].StockVersion, "lamp")})).Items
		assert.Equal(t, []int64{7, 8}, []int64{stock[0].Stock, stock[1].Stock})
		assert.Equal(t, stock[1], do[client.SKU](t, w.op, 200, "getSKU", param("sku_id", "lamp")))
		stale = w.op.do(t, 409, "setSKUStocks", sent(object{"items": set(skus[1].StockVersion, "lamp")}))
		assert.Contains(t, string(stale.Body), "items[1]")
		for _, other := range []string{"card-1", "nothing"} {
			refused := w.op.do(t, 422, "setSKUStocks", sent(object{"items": set(0, other)}))
			assert.Contains(t, string(refused.Body), "items[1].sku_id")
		}
		assert.Equal(t, stock[0], do[client.SKU](t, w.op, 200, "getSKU", param("sku_id", "card-1")),
			"none of the lines is stored")

		points := do[client.PointBatch](t, w.op, 200, "putPoints", sent(object{"items": []object{north}})).Items
		assert.Equal(t, points[0], do[client.Point](t, w.op, 200, "getPoint", param("point_id", "north")))
		north["version"] = 1
		w.op.do(t, 409, "putPoints", sent(object{"items": []object{north}}))
	})
}

func TestStockPointsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		north, unused := param("point_id", "north"), param("point_id", "unused")
		w.op.do(t, 200, "putPoint", north, sent(w.op.do(t, 200, "getPoint", north).JSON(t)))
		w.op.do(t, 404, "getPoint", param("point_id", "nothing"))
		w.op.do(t, 200, "putPoint", param("point_id", "south"), sent(object{"name": "South"}))
		w.op.do(t, 200, "putPoint", unused, sent(object{"name": "Nowhere"}))
		w.op.do(t, 204, "deletePoint", unused)
		w.op.do(t, 404, "deletePoint", unused)
		w.op.do(t, 409, "deletePoint", north)
		w.op.do(t, 200, "listPoints")
		first := do[client.PointList](t, w.op, 200, "listPoints", query("page_size=1"+span))
		next := do[client.PointList](t, w.op, 200, "listPoints", query("page_size=1"+span+"&after="+first.NextCursor))
		require.Len(t, next.Items, 1)
		assert.NotEqual(t, first.Items, next.Items)
		assert.Zero(t, next.Total)
		assert.Len(t, do[client.PointList](t, w.op, 200, "listPoints", query("activity_id="+w.activity)).Items, 1)
		w.op.do(t, 200, "listClaims", query("page_size=1"))
		assert.Empty(t, do[client.ClaimList](t, w.op, 200, "listClaims", query("shared=true&after=A")).Items)
	})
}
