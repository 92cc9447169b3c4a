package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

// place returns an admitted place of ada in the waiting room of a sale.
func (w *world) place(t testing.TB) string {
	t.Helper()
	if w.room == "" {
		sale := saleBody()
		sale["permit_ratio"], sale["waiting_room"] = -1, object{"paths_per_second": 100000}
		w.room = do[client.AdminActivity](t, w.op, 201, "createActivity", sent(sale)).ActivityID
		w.op.do(t, 200, "publishActivity", param("activity_id", w.room))
	}
	return do[client.Place](t, w.ada, 200, "joinLine", sent(object{"activity_id": w.room})).Place
}

func TestWaitingRoomsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		joined := do[client.Place](t, w.ada, 200, "joinLine", sent(object{"activity_id": w.activity}))
		assert.Equal(t, "admitted", joined.Status, "there is no waiting room")
		place := param("place", w.place(t))
		assert.Equal(t, "admitted", do[client.Place](t, w.ada, 200, "getPlace", place).Status)
		events := w.ada.do(t, 200, "watchPlace", place)
		data, ok := strings.CutPrefix(string(events.Body), "event: place\ndata: ")
		require.True(t, ok, string(events.Body))
		var answer object
		require.NoError(t, json.Unmarshal([]byte(data), &answer))
		require.NoError(t, w.conforms(w.doc.Components.Schemas["Place"].Value, answer))

		assert.Equal(t, "place_invalid", w.buyer(t, "bob").do(t, 403, "getPlace", place).Code())
		body := object{"activity_id": w.room, "sku_id": "lamp"}
		assert.Equal(t, "line_required", w.ada.do(t, 409, "takePath", sent(body)).Code())
		body["place"] = w.place(t)
		assert.NotNil(t, do[client.Stats](t, w.op, 200, "getStats", param("activity_id", w.room)).WaitingRoom)
		w.ada.do(t, 200, "takePath", sent(body))

		w.op.do(t, 200, "pauseActivity", param("activity_id", w.room))
		joined = do[client.Place](t, w.buyer(t, "bob"), 200, "joinLine", sent(object{"activity_id": w.room}))
		assert.True(t, joined.Paused)
		w.op.do(t, 200, "resumeActivity", param("activity_id", w.room))
		w.op.do(t, 200, "takeActivityOffline", param("activity_id", w.room))
		assert.Equal(t, "offline", w.ada.do(t, 409, "getPlace", place).Code())
	})
}
