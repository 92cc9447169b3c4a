package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

func TestStockChangesAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale := param("activity_id", w.activity)
		change := func(want int, k, point string, delta int) site.Answer {
			return w.op.do(t, want, "changeStock", sale, key(k),
				sent(object{"sku_id": "lamp", "point_id": point, "delta": delta}))
		}
		changed := change(200, "c1", "0", 5)
		assert.Equal(t, changed.Kept(t), change(200, "c1", "0", 5).Kept(t))
		change(422, "c1", "0", 6)
		change(409, "c2", "0", -1000000)
		change(404, "c3", "east", 1)
		assert.Empty(t, do[client.PendingChangeList](t, w.op, 200, "listPendingChanges", sale).Items)
		id := site.Read[client.StockChange](t, 200, changed).ChangeID
		closed := do[client.ClosedChange](t, w.op, 200, "abandonChange", sale, param("change_id", id))
		assert.Equal(t, "done", closed.Status, "it was carried out")
		w.op.do(t, 404, "abandonChange", sale, param("change_id", "change:nothing"))
	})
}

func TestStockThatIsSetAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale := param("activity_id", w.activity)
		set := func(want, quantity int, version int64) site.Answer {
			return w.op.do(t, want, "setStock", sale,
				sent(object{"sku_id": "lamp", "point_id": "0", "quantity": quantity, "version": version}))
		}
		read := do[client.AdminActivity](t, w.op, 200, "getAdminActivity", sale)
		change := site.Read[client.StockChange](t, 200, set(200, 99_990, read.Version))
		assert.EqualValues(t, -10, change.Delta)
		assert.Equal(t, "done", change.Status)
		stale := site.Read[client.Problem](t, 409, set(409, 100_000, read.Version))
		assert.Equal(t, "stale_version", stale.Code)
		require.NotEmpty(t, stale.Changes)
		assert.Equal(t, "activity.stock_changed", stale.Changes[0].Action)
		same := site.Read[client.StockChange](t, 200, set(200, 99_990, stale.Version))
		assert.Zero(t, same.Delta, "it has as many already")
		w.places(t, "k")
		w.site.Drain(t)
		left := site.Read[client.StockChange](t, 200, set(200, 1, 0))
		assert.EqualValues(t, -99_989, left.Delta)
		w.op.do(t, 404, "setStock", sale, sent(object{"sku_id": "lamp", "point_id": "east", "quantity": 1}))
		w.op.do(t, 409, "setStock", param("activity_id", w.draft),
			sent(object{"sku_id": "lamp", "point_id": "0", "quantity": 1}))
		assert.True(t, do[client.Audit](t, w.op, 200, "auditActivity", sale).Ok)
	})
}

func TestAuditsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale := param("activity_id", w.activity)
		assert.True(t, do[client.Audit](t, w.op, 200, "auditActivity", sale).Ok)
		assert.True(t, do[client.Audit](t, w.op, 200, "repairActivity", sale).Ok)
		w.op.do(t, 409, "reloadActivity", sale)
		require.NoError(t, w.stores.Redis.FlushDB(t.Context()).Err())
		assert.False(t, do[client.Stats](t, w.op, 200, "getStats", sale).Loaded)
		w.op.do(t, 409, "auditActivity", sale)
		w.op.do(t, 409, "repairActivity", sale)
		w.op.do(t, 200, "reloadActivity", sale)
		assert.True(t, do[client.Audit](t, w.op, 200, "auditActivity", sale).Ok)
	})
}

func TestStatsAndHistoryAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale, path := param("activity_id", w.activity), param("path", w.path(t, w.ada))
		w.ada.do(t, 202, "submit", path, key("k1"), sent(object{
			"quantity": 1, "address_id": w.address, "room_id": "room-7", "share_source": "feed",
		}))
		w.ada.do(t, 422, "submit", path, key("k2"), sent(object{"quantity": 1}))
		w.site.Drain(t)
		w.site.Job(t, "flush_answer_counters")
		stats := do[client.Stats](t, w.op, 200, "getStats", sale)
		assert.True(t, stats.Loaded)
		assert.NotZero(t, stats.Answers["submit:ok"])
		assert.NotZero(t, stats.Answers["submit:address_required"])
		assert.Equal(t, []client.StatsRoom{{RoomID: "room-7", Orders: 1}}, stats.Rooms)
		assert.Equal(t, []client.StatsSource{{ShareSource: "feed", Orders: 1}}, stats.ShareSources)

		_, err := w.site.Server.History.RunOnce(t.Context())
		require.NoError(t, err)
		points := do[client.History](t, w.op, 200, "getHistory", sale).Items
		require.NotEmpty(t, points)
		last := points[len(points)-1]
		assert.NotZero(t, last.Accepted)
		assert.NotZero(t, last.Refused)
		w.op.do(t, 404, "getHistory", param("activity_id", "nothing"))
		require.NoError(t, w.stores.Redis.FlushDB(t.Context()).Err())
		assert.NotEmpty(t, do[client.History](t, w.op, 200, "getHistory", sale).Items, "it is in the program")
	})
}
