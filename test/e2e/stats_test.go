package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order/queue"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestStatsCountTheOrdersAndAnswersOfASale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 5}, PurchaseLimit: 1})
		stats := func() map[string]any {
			return must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/activities/"+activity+"/stats", "", nil))
		}
		for i := range 5 {
			b := s.Buyer(t, fmt.Sprintf("buyer-%d", i))
			body := map[string]any{"quantity": 1, "room_id": fmt.Sprintf("room-%d", i%2), "share_source": "chat"}
			placed := must(t, http.StatusAccepted, b.Submit(t, b.Path(t, activity, "sku"), "k1", body))
			switch i {
			case 1:
				must(t, http.StatusOK, b.Call(t, http.MethodPost,
					"/api/v1/orders/"+placed["order_number"].(string)+"/cancel", "", nil))
			case 2:
				requireRefusal(t, b.Buy(t, activity, "sku", "k2"), http.StatusConflict, "purchase_limit")
				s.Drain(t)
			}
		}
		s.Job(t, "flush_answer_counters")

		live := stats()
		assert.Equal(t, true, live["loaded"])
		assert.Equal(t, false, live["partial"])
		for field, want := range map[string]float64{"placed": 2, "unpaid": 2, "cancelled": 1, "paid": 0, "failed": 0} {
			assert.InDelta(t, want, live[field], 0, field)
		}
		stock := live["stock"].([]any)[0].(map[string]any)
		for field, want := range map[string]float64{"total": 5, "sold": 2, "remaining": 1} {
			assert.InDelta(t, want, stock[field], 0, field)
		}
		assert.InDelta(t, 2, live["queue"].(map[string]any)["length"], 0)
		assert.Equal(t, map[string]any{"path:ok": 6.0, "submit:ok": 5.0, "submit:purchase_limit": 1.0}, live["answers"])
		require.Eventually(t, func() bool {
			return stats()["queue"].(map[string]any)["oldest_ms"].(float64) > 0
		}, eventually, soon)
		require.Eventually(t, func() bool { return stats()["orders_per_second"] == 0.5 }, eventually, soon,
			"five orders in ten seconds")

		s.Drain(t)
		after := stats()
		for field, want := range map[string]float64{"placed": 0, "unpaid": 4, "cancelled": 1} {
			assert.InDelta(t, want, after[field], 0, field)
		}
		assert.Equal(t, map[string]any{"length": 0.0, "oldest_ms": 0.0, "dead": 0.0, "oldest_dead_ms": 0.0},
			after["queue"])
		assert.Equal(t, []any{
			map[string]any{"room_id": "room-0", "orders": 3.0}, map[string]any{"room_id": "room-1", "orders": 1.0},
		}, after["rooms"])
		assert.Equal(t, []any{map[string]any{"share_source": "chat", "orders": 4.0}}, after["share_sources"])

		dead, err := json.Marshal(queue.DeadEntry{Entry: "x", AtMS: time.Now().Add(-time.Hour).UnixMilli()})
		require.NoError(t, err)
		require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Dead(laneOf(t, stores, activity)),
			"x", dead).Err())
		queue := stats()["queue"].(map[string]any)
		assert.InDelta(t, 1, queue["dead"], 0)
		assert.GreaterOrEqual(t, queue["oldest_dead_ms"], float64(59*time.Minute/time.Millisecond),
			"by the stores' clock")
	})
}

func TestStatsReportThatRedisLostTheSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity, draft := s.Open(t, site.Sale{}), s.Open(t, site.Sale{SKU: "other", Draft: true})
		buyOnce(t, s, activity, "alice")
		s.Drain(t)
		require.NoError(t, stores.Redis.FlushDB(t.Context()).Err())

		lost := must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/activities/"+activity+"/stats", "", nil))
		assert.Equal(t, false, lost["loaded"])
		assert.InDelta(t, 1, lost["unpaid"], 0)
		assert.NotContains(t, lost["stock"].([]any)[0], "remaining", "nobody knows")
		unborn := must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/activities/"+draft+"/stats", "", nil))
		assert.Equal(t, false, unborn["loaded"])
		requireRefusal(t, op.Call(t, http.MethodGet, admin+"/activities/nothing/stats", "", nil),
			http.StatusNotFound, "not_found")
	})
}

func TestStatsShowFiguresOfRedisWhileSQLIsUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 5}})
		path := admin + "/activities/" + activity + "/stats"
		buyOnce(t, s, activity, "alice")
		stores.SQLAway(t)
		a := must(t, http.StatusOK, op.Call(t, http.MethodGet, path, "", nil))
		assert.Equal(t, true, a["partial"])
		assert.InDelta(t, 1, a["placed"], 0)
		assert.InDelta(t, 1, a["queue"].(map[string]any)["length"], 0)
		assert.InDelta(t, 4, a["stock"].([]any)[0].(map[string]any)["remaining"], 0)
		requireRefusal(t, op.Call(t, http.MethodGet, admin+"/activities/nothing/stats", "", nil),
			http.StatusServiceUnavailable, "unavailable")
		stores.RedisAway(t)
		requireRefusal(t, op.Call(t, http.MethodGet, path, "", nil), http.StatusServiceUnavailable, "unavailable")
		stores.RedisBack(t)
		stores.SQLBack(t)
		require.Eventually(t, func() bool {
			a := op.Call(t, http.MethodGet, path, "", nil)
			return a.Status == http.StatusOK && a.JSON(t)["partial"] == false
		}, eventually, soon)
	}, kit.Breakable())
}

func TestStatsCountRefundedOrdersWhichWereNotCancelled(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		number := w.order(t)
		p := w.payment(t, number)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		operator := w.Operator(t)
		a := operator.Call(t, http.MethodPost, admin+"/orders/"+number+"/refund", rand.Text(), nil)
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		stats := must(t, http.StatusOK,
			operator.Call(t, http.MethodGet, admin+"/activities/"+w.activity+"/stats", "", nil))
		assert.InDelta(t, 1, stats["refunded"], 0)
		assert.InDelta(t, 0, stats["cancelled"], 0)
		shown := must(t, http.StatusOK, w.buyer.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil))
		assert.Equal(t, "refunded", shown["status"])
		assert.NotContains(t, shown, "cancelled_at")
		assert.NotContains(t, shown, "cancel_reason")
		var cancelled int64
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &cancelled,
			`SELECT cancelled_ms FROM orders WHERE number = ?`, number))
		assert.Zero(t, cancelled)
	})
}
