package contract

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// place returns an admitted place of ada in the waiting room of a sale.
func (w *world) place(t testing.TB) string {
	t.Helper()
	if w.room == "" {
		sale := saleBody()
		sale["permit_ratio"], sale["waiting_room"] = -1, object{"paths_per_second": 100000}
		w.room = w.op.do(t, 201, "createActivity", sent(sale)).JSON(t)["activity_id"].(string)
		w.op.do(t, 200, "publishActivity", param("activity_id", w.room))
	}
	return w.ada.do(t, 200, "joinLine", sent(object{"activity_id": w.room})).JSON(t)["place"].(string)
}

// waits joins a waiting room and takes a path with the place, and takes the sale offline.
func (w *world) waits(t *testing.T) {
	t.Helper()
	assert.Equal(t, "admitted", w.ada.do(t, 200, "joinLine", sent(object{"activity_id": w.activity})).JSON(t)["status"])
	place := param("place", w.place(t))
	assert.Equal(t, "admitted", w.ada.do(t, 200, "getPlace", place).JSON(t)["status"])
	events := w.ada.do(t, 200, "watchPlace", place)
	data, ok := strings.CutPrefix(string(events.Body), "event: place\ndata: ")
	require.True(t, ok, string(events.Body))
	var answer object
	require.NoError(t, json.Unmarshal([]byte(data), &answer))
	require.NoError(t, w.conforms(w.doc.Components.Schemas["Place"].Value, answer))

	bob := w.buyer(t, "bob")
	assert.Equal(t, "place_invalid", bob.do(t, http.StatusForbidden, "getPlace", place).Code())
	body := object{"activity_id": w.room, "sku_id": "lamp"}
	assert.Equal(t, "line_required", w.ada.do(t, 409, "takePath", sent(body)).Code())
	body["place"] = w.place(t)
	w.ada.do(t, 200, "takePath", sent(body))
	w.op.do(t, 200, "takeActivityOffline", param("activity_id", w.room))
	assert.Equal(t, "offline", w.ada.do(t, 409, "getPlace", place).Code())
	w.room = ""
}
