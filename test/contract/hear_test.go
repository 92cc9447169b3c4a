package contract

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
)

// hears reads all events as the platform does, and ada's events as she does.
func (w *world) hears(t *testing.T) {
	t.Helper()
	w.site.Number(t)
	heard, after := map[string]bool{}, "0"
	for more := true; more; {
		page := w.op.do(t, 200, "listEvents", query("limit=7&after="+after)).JSON(t)
		for _, e := range page["items"].([]any) {
			heard[e.(object)["type"].(string)] = true
		}
		after, more = page["next_after"].(string), page["more"].(bool)
	}
	for _, kind := range []string{
		"order.placed", "order.paid", "order.cancelled", "order.refunded", "activity.published", "activity.changed",
		"activity.started", "activity.ended",
	} {
		assert.True(t, heard[kind], kind)
	}
	last := w.op.do(t, 200, "listEvents", query("types=order.paid,order.refunded&after="+after)).JSON(t)
	assert.Empty(t, last["items"])
	assert.Equal(t, after, last["next_after"])
	w.op.do(t, 422, "listEvents", query("types=order.paid,order.lost"))

	stream := w.ada.do(t, 200, "watchMyEvents", query("timeout_s=1&after=0"))
	names := w.isStream(t, stream)
	assert.Equal(t, "start", names[0])
	assert.Subset(t, names, []string{"order.placed", "order.paid", "order.cancelled", "order.refunded"})
	ticket := w.ada.do(t, 200, "takeEventsTicket").JSON(t)["ticket"].(string)
	anybody := &person{shop: w.shop}
	assert.Equal(t, []string{"start"},
		w.isStream(t, anybody.do(t, 200, "watchMyEvents", query("timeout_s=1&ticket="+ticket))))
	anybody.do(t, http.StatusUnauthorized, "watchMyEvents", query("timeout_s=1&ticket="+ticket))
}

// isStream checks the events of a stream of a buyer, and returns their names.
func (w *world) isStream(t *testing.T, a site.Answer) (names []string) {
	t.Helper()
	for event := range strings.SplitSeq(strings.TrimSuffix(string(a.Body), "\n\n"), "\n\n") {
		if event == ":" {
			continue // keeps the connection alive
		}
		lines := strings.Split(event, "\n")
		require.Len(t, lines, 3, event)
		id, name := strings.TrimPrefix(lines[0], "id: "), strings.TrimPrefix(lines[1], "event: ")
		names = append(names, name)
		var data object
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(lines[2], "data: ")), &data), event)
		if name == "start" {
			assert.Equal(t, object{"missed": false}, data)
			continue
		}
		assert.Equal(t, id, data["event_id"])
		assert.Equal(t, name, data["type"])
		require.NoError(t, w.conforms(w.doc.Components.Schemas["BuyerEvent"].Value, data), event)
	}
	require.NotEmpty(t, names)
	return names
}
