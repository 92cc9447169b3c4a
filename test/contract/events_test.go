package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

func TestTheFeedAndStreamsOfEventsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.happens(t)
		heard, after := map[string]bool{}, "0"
		for more := true; more; {
			page := do[client.PlatformEventList](t, w.op, 200, "listEvents", query("page_size=7&after="+after))
			for _, e := range page.Items {
				heard[e.Type] = true
			}
			after, more = page.NextCursor, page.More
		}
		for _, kind := range []string{
			"order.placed", "order.paid", "order.cancelled", "order.refunded", "activity.published",
			"activity.changed", "activity.started", "activity.paused", "activity.resumed", "activity.ended",
		} {
			assert.True(t, heard[kind], kind)
		}
		last := do[client.PlatformEventList](t, w.op, 200, "listEvents",
			query("types=order.paid,order.refunded&after="+after))
		assert.Empty(t, last.Items)
		assert.Equal(t, after, last.NextCursor)
		assert.False(t, last.Missed)
		beyond := do[client.PlatformEventList](t, w.op, 200, "listEvents", query("after=9007199254740991"))
		assert.True(t, beyond.Missed, "no event has this id yet: the store was restored")
		assert.Equal(t, after, beyond.NextCursor)
		w.op.do(t, 422, "listEvents", query("types=order.paid,order.lost"))

		names := w.isStream(t, w.ada.do(t, 200, "watchMyEvents", query("timeout_s=1&after=0")))
		assert.Equal(t, "start", names[0])
		assert.Subset(t, names, []string{"order.placed", "order.paid", "order.cancelled", "order.refunded"})
		ticket := do[client.EventsTicket](t, w.ada, 200, "takeEventsTicket").Ticket
		anybody := &person{shop: w.shop}
		assert.Equal(t, []string{"start"},
			w.isStream(t, anybody.do(t, 200, "watchMyEvents", query("timeout_s=1&ticket="+ticket))))
		anybody.do(t, 401, "watchMyEvents", query("timeout_s=1&ticket="+ticket))
	})
}

// happens does everything to orders and to a sale that has an event.
func (w *world) happens(t *testing.T) {
	t.Helper()
	sale := param("activity_id", w.activity)
	w.site.Job(t, "announce_sales")
	w.ada.do(t, 200, "cancelOrder", param("order_number", w.places(t, "cancelled").OrderNumber))
	w.ada.do(t, 202, "submit", param("path", w.path(t, w.ada)), key("placed"),
		sent(withTexts(object{"delivery": "pickup", "pickup_point_id": "north"})))
	w.site.Drain(t)
	w.op.do(t, 200, "putSKU", param("sku_id", "gift"), sent(voucherBody(1000)))
	w.paysFor(t, w.ada, "paid", object{"sku_id": "gift", "quantity": 1}, 0)
	m := w.pays(t, "back")
	w.goesBack(t, &m)
	w.op.do(t, 200, "changeActivity", sale, sent(object{"title": "Lamps now"}))
	w.op.do(t, 200, "pauseActivity", sale)
	w.op.do(t, 200, "resumeActivity", sale)
	w.op.do(t, 200, "takeActivityOffline", sale)
	w.site.Job(t, "announce_sales")
	w.site.Number(t)
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
