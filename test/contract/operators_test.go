package contract

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stocksUp puts goods and points in batches, reads them one by one, and lists them by cursor.
func (w *world) stocksUp(t *testing.T) {
	t.Helper()
	lamp, card := clone(lampBody), clone(lampBody)
	lamp["sku_id"], card["sku_id"] = "lamp", "card-1"
	put := w.op.do(t, 200, "putSKUs", sent(object{"items": []object{card, lamp}})).JSON(t)["items"].([]any)
	require.Len(t, put, 2)
	assert.Equal(t, "card-1", put[0].(object)["sku_id"])
	card["version"] = 1
	assert.Contains(t, string(w.op.do(t, 409, "putSKUs", sent(object{"items": []object{lamp, card}})).Body), "items[1]")
	assert.Equal(t, put[1], w.op.do(t, 200, "getSKU", param("sku_id", "lamp")).JSON(t), "none of the lines is stored")
	w.op.do(t, 404, "getSKU", param("sku_id", "nothing"))
	north := clone(pointBody)
	north["point_id"] = "north"
	points := w.op.do(t, 200, "putPoints", sent(object{"items": []object{north}})).JSON(t)["items"].([]any)
	assert.Equal(t, points[0], w.op.do(t, 200, "getPoint", param("point_id", "north")).JSON(t))
	w.op.do(t, 404, "getPoint", param("point_id", "nothing"))
	north["version"] = 1
	w.op.do(t, 409, "putPoints", sent(object{"items": []object{north}}))

	span := "&from=2026-01-01T00:00:00Z&to=2100-01-01T00:00:00Z"
	for _, list := range []struct{ id, filter string }{
		{"listSKUs", "shop_id=shop-1"}, {"listSKUs", "shop_id=shop-1" + span}, {"listPoints", "page_size=1" + span},
	} {
		filter := "page_size=1&" + strings.TrimPrefix(list.filter, "page_size=1&")
		first := w.op.do(t, 200, list.id, query(filter)).JSON(t)
		next := w.op.do(t, 200, list.id, query(filter+"&before="+first["next_cursor"].(string))).JSON(t)
		require.Len(t, next["items"], 1, list)
		assert.NotEqual(t, first["items"], next["items"], list)
		assert.NotContains(t, next, "total")
	}
	ofSale := query("activity_id=" + w.activity)
	assert.Len(t, w.op.do(t, 200, "listSKUs", ofSale).JSON(t)["items"], 1)
	assert.Len(t, w.op.do(t, 200, "listPoints", ofSale).JSON(t)["items"], 1)
}

// handles makes an operator's calls about single orders, sales and dead entries.
func (w *world) handles(t *testing.T) {
	t.Helper()
	of := param("order_number", w.number)
	note := w.op.do(t, 201, "noteOrder", of, sent(object{"text": "The buyer called."})).JSON(t)
	w.op.do(t, 404, "noteOrder", param("order_number", "1"), sent(object{"text": "x"}))
	shown := w.op.do(t, 200, "getAdminOrder", of).JSON(t)
	assert.Equal(t, []any{note}, shown["notes"])
	w.op.do(t, 404, "getAdminOrder", param("order_number", "1"))
	paid := w.pays(t, "handled")
	assert.Len(t, w.op.do(t, 200, "getAdminOrder", param("order_number", paid.order)).JSON(t)["payments"], 1)

	hits := func(q string) []any { return w.op.do(t, 200, "search", query("q="+q)).JSON(t)["items"].([]any) }
	for q, kind := range map[string]string{
		w.number: "order", "PO/2026-2": "order", "ada": "user", paid.payment: "payment",
	} {
		require.NotEmpty(t, hits(q), q)
		assert.Equal(t, kind, hits(q)[0].(object)["kind"], q)
	}
	assert.Empty(t, hits("nobody"))
	w.op.do(t, 422, "search", query("q=%20"))

	filter := "activity_id=" + w.activity + "&from=2026-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&page_size=1"
	first := w.op.do(t, 200, "listAdminOrders", query(filter)).JSON(t)
	next := w.op.do(t, 200, "listAdminOrders", query(filter+"&before="+first["next_cursor"].(string))).JSON(t)
	assert.NotEqual(t, first["items"], next["items"])
	file := string(w.op.do(t, 200, "exportOrders", query("activity_id="+w.activity)).Body)
	assert.True(t, strings.HasPrefix(file, "order_number,placed_at,"), file)
	assert.Contains(t, file, w.number)
	assert.Contains(t, string(w.op.do(t, 200, "exportPayments", query("status=paid")).Body), paid.payment)
	assert.True(t, strings.HasPrefix(string(w.op.do(t, 200, "exportRefunds").Body), "refund_number,"))

	again := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	cloned := w.op.do(t, 201, "cloneActivity", param("activity_id", w.activity),
		sent(object{"starts_at": again, "ends_at": again.Add(time.Hour)})).JSON(t)
	assert.Equal(t, "draft", cloned["state"])
	w.op.do(t, 422, "cloneActivity", param("activity_id", w.activity), sent(object{"ends_at": "2026-01-01T00:00:00Z"}))
	w.op.do(t, 404, "cloneActivity", param("activity_id", "nothing"))
	drafts := w.op.do(t, 200, "listAdminActivities", query("page_size=1&state=draft")).JSON(t)
	assert.Equal(t, cloned["activity_id"], drafts["items"].([]any)[0].(object)["activity_id"])
	w.op.do(t, 200, "listAdminActivities", query("state=draft&before="+drafts["next_cursor"].(string)))

	id := w.addDeadEntry(t)
	reason := "reason=no_record&page_size=1"
	dead := w.op.do(t, 200, "listDead", query(reason)).JSON(t)
	require.Len(t, dead["items"], 1)
	assert.Empty(t, w.op.do(t, 200, "listDead", query("reason=other")).JSON(t)["items"])
	replayed := w.op.do(t, 200, "replayAllDead", sent(object{"reason": "no_record"})).JSON(t)
	assert.Equal(t, object{"replayed": 1.0, "remaining": 0.0}, replayed)
	w.site.Drain(t) // it is dead again
	w.op.do(t, 200, "discardDead", param("dead_id", id))
}
