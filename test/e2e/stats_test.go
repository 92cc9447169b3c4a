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
	"onrush/web/client"
)

func TestStatsCountTheOrdersAndAnswersOfASale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 5}, PurchaseLimit: 1})
		stats := func() client.Stats { return op.GetStats(t, activity) }
		for i := range 5 {
			b := s.Buyer(t, fmt.Sprintf("buyer-%d", i))
			body := client.SubmitRequest{RoomID: fmt.Sprintf("room-%d", i%2), ShareSource: "chat"}
			placed := b.Submit(t, b.Path(t, activity, "sku"), "k1", body).Placed(t)
			switch i {
			case 1:
				b.CancelOrder(t, placed.OrderNumber)
			case 2:
				requireRefusal(t, b.Buy(t, activity, "sku", "k2"), http.StatusConflict, "purchase_limit")
				s.Drain(t)
			}
		}
		s.Job(t, "flush_answer_counters")

		live := stats()
		assert.True(t, live.Loaded)
		assert.False(t, live.Partial)
		assert.Equal(t, []int64{2, 2, 1, 0, 0},
			[]int64{live.Placed, live.Unpaid, live.Cancelled, live.Paid, live.Failed})
		stock := live.Stock[0]
		assert.Equal(t, []int64{5, 2, 1}, []int64{stock.Total, stock.Sold, *stock.Remaining})
		assert.EqualValues(t, 2, live.Queue.Length)
		assert.Equal(t, map[string]client.Count{"path:ok": 6, "submit:ok": 5, "submit:purchase_limit": 1}, live.Answers)
		site.Poll(t, op, admin+"/activities/"+activity+"/stats", func(s client.Stats) bool {
			return s.Queue.OldestMs > 0 && s.OrdersPerSecond == 0.5 // five orders in ten seconds
		})

		s.Drain(t)
		after := stats()
		assert.Equal(t, []int64{0, 4, 1}, []int64{after.Placed, after.Unpaid, after.Cancelled})
		assert.Zero(t, after.Queue)
		assert.Equal(t, []client.StatsRoom{{RoomID: "room-0", Orders: 3}, {RoomID: "room-1", Orders: 1}}, after.Rooms)
		assert.Equal(t, []client.StatsSource{{ShareSource: "chat", Orders: 4}}, after.ShareSources)

		dead, err := json.Marshal(queue.DeadEntry{Entry: "x", AtMS: time.Now().Add(-time.Hour).UnixMilli()})
		require.NoError(t, err)
		require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Dead(site.Lane(t, stores, activity)),
			"x", dead).Err())
		queue := stats().Queue
		assert.EqualValues(t, 1, queue.Dead)
		assert.GreaterOrEqual(t, queue.OldestDeadMs, (59 * time.Minute).Milliseconds(), "by the stores' clock")
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
		stores.LoseRedis(t)

		lost := op.GetStats(t, activity)
		assert.False(t, lost.Loaded)
		assert.EqualValues(t, 1, lost.Unpaid)
		assert.Nil(t, lost.Stock[0].Remaining, "nobody knows")
		assert.False(t, op.GetStats(t, draft).Loaded)
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
		stats := op.GetStats(t, activity)
		assert.True(t, stats.Partial)
		assert.Equal(t, []int64{1, 1, 4}, []int64{stats.Placed, stats.Queue.Length, *stats.Stock[0].Remaining})
		requireRefusal(t, op.Call(t, http.MethodGet, admin+"/activities/nothing/stats", "", nil),
			http.StatusServiceUnavailable, "unavailable")
		stores.RedisAway(t)
		requireRefusal(t, op.Call(t, http.MethodGet, path, "", nil), http.StatusServiceUnavailable, "unavailable")
		stores.RedisBack(t)
		stores.SQLBack(t)
		site.Poll(t, op, path, func(s client.Stats) bool { return !s.Partial })
	}, kit.Breakable())
}

// Pages count the answers without asking whether there are any.
func TestStatsHaveNoAnswersWhereTheyCantBeRead(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		answers := stores.Keys.Answers(site.Lane(t, stores, activity), activity)
		require.NoError(t, stores.Redis.Set(t.Context(), answers, "no hash", 0).Err())
		got := s.Operator(t).Call(t, http.MethodGet, admin+"/activities/"+activity+"/stats", "", nil).JSON(t)
		assert.Equal(t, true, got["partial"])
		assert.Equal(t, map[string]any{}, got["answers"])
	})
}

func TestStatsCountRefundedOrdersWhichWereNotCancelled(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		number := w.order(t)
		p := w.payment(t, number)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		operator := w.Operator(t)
		operator.RefundOrder(t, number, rand.Text(), client.RefundRequest{})
		stats := operator.GetStats(t, w.activity)
		assert.EqualValues(t, 1, stats.Refunded)
		assert.Zero(t, stats.Cancelled)
		shown := w.buyer.GetOrder(t, number)
		assert.Equal(t, "refunded", shown.Status)
		assert.Zero(t, shown.CancelledAt)
		assert.Empty(t, shown.CancelReason)
		var cancelled int64
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &cancelled,
			`SELECT cancelled_ms FROM orders WHERE number = ?`, number))
		assert.Zero(t, cancelled)
	})
}
