package e2e

import (
	"crypto/rand"
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// Of six orders one is paid, one refunded in part, one refunded, one cancelled, and two are unpaid.
func TestTheReportOfASaleAddsUp(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{Stock: map[string]int64{"0": 7}, PurchaseLimit: 6, Price: 100})
		op := w.Operator(t)
		var orders []string
		for range 5 {
			body := client.SubmitRequest{RoomID: "room", ShareSource: "chat"}
			orders = append(orders, w.buyer.Submit(t, w.buyer.Path(t, w.activity, "sku"), rand.Text(), body).
				Placed(t).OrderNumber)
		}
		requireRefusal(t, w.Buyer(t, "buyer").Submit(t, w.buyer.Path(t, w.activity, "sku"), "k",
			client.SubmitRequest{Quantity: 2}), http.StatusConflict, "purchase_limit")
		buyOnce(t, w.Site, w.activity, "bob")
		for _, number := range orders[:3] {
			require.Equal(t, http.StatusOK, w.notify(t, w.payment(t, number)).Status)
		}
		op.RefundOrder(t, orders[1], rand.Text(), client.RefundRequest{Amount: 30})
		op.RefundOrder(t, orders[2], rand.Text(), client.RefundRequest{})
		w.buyer.CancelOrder(t, orders[3])
		w.Drain(t)
		w.Job(t, "flush_answer_counters")

		report := op.GetReport(t, w.activity)
		sums := client.ReportSums{
			Orders: 6, PaidOrders: 3, RefundedOrders: 1, UnpaidOrders: 2, CancelledOrders: 1,
			PaidUnits: 3, UnpaidUnits: 2, CancelledUnits: 1,
			PaidAmount: 300, UnpaidAmount: 200, CancelledAmount: 100, RefundedAmount: 130, NetAmount: 170,
		}
		assert.Equal(t, sums, report.Totals)
		stats := op.GetStats(t, w.activity)
		assert.Equal(t, []client.Count{stats.Paid + stats.Refunded, stats.Unpaid, stats.Cancelled, stats.Failed},
			[]client.Count{sums.PaidOrders, sums.UnpaidOrders, sums.CancelledOrders, sums.FailedOrders})
		require.Len(t, report.Skus, 1)
		assert.Equal(t, sums, report.Skus[0].Sums)
		require.Len(t, report.Points, 1)
		assert.Equal(t, catalogue.DefaultPoint, report.Points[0].PointID)
		assert.Equal(t, sums, report.Points[0].Sums)
		assert.Equal(t, []client.Count{7, 7, 7},
			[]client.Count{report.OfferedUnits, report.Skus[0].OfferedUnits, report.Points[0].OfferedUnits})
		var placed client.Count
		for _, span := range report.Times.Items {
			placed += span.Sums.Orders
		}
		assert.Equal(t, sums.Orders, placed)
		require.Len(t, report.ShareSources.Items, 1)
		assert.EqualValues(t, 4, report.ShareSources.Items[0].Orders, "without the cancelled one")
		assert.EqualValues(t, 1, report.ShareSources.Without)
		require.Len(t, report.Rooms.Items, 1)
		assert.Equal(t, "room", report.Rooms.Items[0].Name)

		assert.Equal(t, "kept", report.Traffic.State)
		assert.EqualValues(t, 7, report.Traffic.Submits)
		require.Len(t, report.Traffic.Refusals, 1)
		assert.Equal(t, "purchase_limit", report.Traffic.Refusals[0].Code)
		assert.NotNil(t, report.Traffic.Peak)
		requireFileOf(t, op, w.activity)
	})
}

// requireFileOf requires that the file of a report has the same totals as its parts.
func requireFileOf(t *testing.T, op *site.Person, activity string) {
	t.Helper()
	file := op.Call(t, http.MethodGet, admin+"/activities/"+activity+"/report.csv", "", nil)
	rows, err := csv.NewReader(strings.NewReader(string(file.Body))).ReadAll()
	require.NoError(t, err)
	sums := map[string][]string{}
	for _, row := range rows[1:] {
		sums[row[0]] = row[5:19]
	}
	require.Equal(t, "3", sums["total"][1], "paid orders")
	assert.Equal(t, sums["total"], sums["sku"])
	assert.Equal(t, sums["total"], sums["point"])
	assert.Equal(t, "1", sums["share_source_none"][0])
}

func TestAReportSaysWhatRedisHasForgotten(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity := s.Open(t, site.Sale{})
		buyOnce(t, s, activity, "alice")
		s.Drain(t)
		stores.LoseRedis(t)
		report := op.GetReport(t, activity)
		assert.Equal(t, "deleted", report.Traffic.State)
		traffic := op.Call(t, http.MethodGet, admin+"/activities/"+activity+"/report", "", nil).JSON(t)["traffic"]
		assert.NotContains(t, traffic, "submits", "not 0")
		assert.EqualValues(t, 1, report.Totals.UnpaidOrders)
	})
}

func TestAReportHasWhatSQLKnowsWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity := s.Open(t, site.Sale{})
		buyOnce(t, s, activity, "alice")
		s.Drain(t)
		stores.RedisAway(t)
		report := op.GetReport(t, activity)
		assert.Equal(t, "unavailable", report.Traffic.State)
		assert.NotContains(t, op.Call(t, http.MethodGet, admin+"/activities/"+activity+"/report", "", nil).JSON(t),
			"placed", "not 0")
		assert.EqualValues(t, 1, report.Totals.UnpaidOrders)
		stores.SQLAway(t)
		requireRefusal(t, op.Call(t, http.MethodGet, admin+"/activities/"+activity+"/report", "", nil),
			http.StatusServiceUnavailable, "unavailable")
	}, kit.Breakable())
}

func TestTheReportOfARetiredSaleHasItsTraffic(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{PurchaseLimit: 1})
		buyOnce(t, s, activity, "alice")
		requireRefusal(t, s.Buyer(t, "alice").Buy(t, activity, "sku", "again"), http.StatusConflict, "purchase_limit")
		s.Job(t, "flush_answer_counters")
		s.Drain(t)
		exec(t, stores, `UPDATE activities SET ends_ms = 1`)
		exec(t, stores, `UPDATE orders SET pay_before_ms = 1`)
		require.Equal(t, 1, s.Job(t, "cancel_unpaid"))
		require.Equal(t, 1, s.Job(t, "retire_activities"))
		report := s.Operator(t).GetReport(t, activity)
		assert.True(t, report.Settled)
		assert.EqualValues(t, 1, report.Totals.CancelledOrders)
		assert.Equal(t, "kept", report.Traffic.State)
		require.Len(t, report.Traffic.Refusals, 1)
		assert.Equal(t, "purchase_limit", report.Traffic.Refusals[0].Code)
		assert.NotNil(t, report.Traffic.Peak)
	})
}
