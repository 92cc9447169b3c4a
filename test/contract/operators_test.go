package contract

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestOrdersOfOperatorsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		number := w.places(t, "k").OrderNumber
		w.site.Drain(t)
		of := param("order_number", number)
		note := do[client.OrderNote](t, w.op, 201, "noteOrder", of, sent(object{"text": "The buyer called."}))
		w.op.do(t, 404, "noteOrder", param("order_number", "1"), sent(object{"text": "x"}))
		shown := do[client.AdminOrder](t, w.op, 200, "getAdminOrder", of)
		assert.Equal(t, []client.OrderNote{note}, shown.Notes)
		w.op.do(t, 404, "getAdminOrder", param("order_number", "1"))
		paid := param("order_number", w.pays(t, "handled").order)
		assert.Len(t, do[client.AdminOrder](t, w.op, 200, "getAdminOrder", paid).Payments, 1)

		w.places(t, "second")
		w.site.Drain(t)
		filter := "activity_id=" + w.activity + "&from=2026-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&page_size=1"
		first := do[client.AdminOrderList](t, w.op, 200, "listAdminOrders", query(filter))
		next := do[client.AdminOrderList](t, w.op, 200, "listAdminOrders", query(filter+"&after="+first.NextCursor))
		assert.NotEqual(t, first.Items, next.Items)
	})
}

func TestTheSearchAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		number, paid := w.places(t, "k").OrderNumber, w.pays(t, "found")
		w.ada.do(t, 201, "createOrders", key("o"), sent(object{
			"items": []object{{"sku_id": "lamp", "quantity": 1}}, "address_id": w.address,
			"client_reference": "PO/2026-2",
		}))
		w.site.Drain(t)
		hits := func(q string) []client.Hit {
			return do[client.SearchResult](t, w.op, 200, "search", query("q="+q)).Items
		}
		for q, kind := range map[string]string{
			number: "order", "PO/2026-2": "order", "ada": "user", paid.payment: "payment",
		} {
			require.NotEmpty(t, hits(q), q)
			assert.Equal(t, kind, hits(q)[0].Kind, q)
			assert.Equal(t, kind == "order", hits(q)[0].Status != "", q)
		}
		assert.Empty(t, hits("nobody"))
		received := hits("ada")
		require.Len(t, received, 4, "a user and three orders")
		assert.Equal(t, []string{"Ada", "+44 20"}, []string{received[1].Receiver, received[1].Phone})
		w.op.do(t, 422, "search", query("q=%20"))
	})
}

func TestReportsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.ada.do(t, 202, "submit", param("path", w.path(t, w.ada)), key("k"), sent(object{
			"quantity": 1, "address_id": w.address, "room_id": "room-7", "share_source": "chat",
		}))
		w.ada.do(t, 404, "takePath", sent(object{"activity_id": w.activity, "sku_id": "nothing"}))
		w.site.Drain(t)
		w.site.Job(t, "flush_answer_counters")
		early := w.stores.Keys.LineEarly(w.lane, w.activity)
		require.NoError(t, w.stores.Redis.ZAdd(t.Context(), early, redis.Z{Score: 1, Member: "eve"}).Err())
		sale := param("activity_id", w.activity)
		report := do[client.Report](t, w.op, 200, "getReport", sale)
		assert.Equal(t, "kept", report.Traffic.State)
		assert.False(t, report.Settled)
		file := string(w.op.do(t, 200, "exportReport", sale).Body)
		assert.True(t, strings.HasPrefix(file, "part,name,title,currency,"), file)
		assert.Contains(t, file, "share_source,chat,")
		for _, op := range []string{"getReport", "exportReport"} {
			w.op.do(t, 409, op, param("activity_id", w.draft))
			w.op.do(t, 404, op, param("activity_id", "nothing"))
		}
	})
}

func TestFilesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		number, paid := w.places(t, "k").OrderNumber, w.pays(t, "exported")
		w.site.Drain(t)
		file := string(w.op.do(t, 200, "exportOrders", query("activity_id="+w.activity)).Body)
		assert.True(t, strings.HasPrefix(file, "order_number,placed_at,"), file)
		assert.Contains(t, file, number)
		assert.Contains(t, string(w.op.do(t, 200, "exportPayments", query("status=paid")).Body), paid.payment)
		assert.True(t, strings.HasPrefix(string(w.op.do(t, 200, "exportRefunds").Body), "refund_number,"))
	})
}
