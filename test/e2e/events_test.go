package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

const tasks = "/api/v1/seckill/tasks/"

func TestPolledTaskSucceeds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		activity := instances[0].Open(t, site.Sale{})
		alice := instances[0].Buyer(t, "alice")
		placed := must(t, http.StatusAccepted, alice.Buy(t, activity, "sku", "k1"))
		require.Equal(t, "SUBMITTED", placed["status"])
		require.Positive(t, placed["refresh_after_ms"])

		var task map[string]any
		require.Eventually(t, func() bool {
			task = must(t, http.StatusOK,
				alice.At(instances[1]).Call(t, http.MethodGet, tasks+placed["task_id"].(string), "", nil))
			return task["status"] != "SUBMITTED"
		}, eventually, soon)

		assert.Equal(t, "SUCCESS", task["status"])
		assert.Equal(t, placed["order_number"], task["order_number"])
		assert.Equal(t, placed["task_id"], task["task_id"])
		assert.NotContains(t, task, "reason")
		o := must(t, http.StatusOK,
			alice.Call(t, http.MethodGet, "/api/v1/orders/"+placed["order_number"].(string), "", nil))
		assert.Equal(t, "sql", o["source"])
	})
}

func TestWatchedTaskEndsWithSuccess(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		activity := instances[0].Open(t, site.Sale{})
		alice := instances[0].Buyer(t, "alice")
		placed := must(t, http.StatusAccepted, alice.Buy(t, activity, "sku", "k1"))
		events := tasks + placed["task_id"].(string) + "/events"
		stream := alice.At(instances[1]).Follow(t, events)

		requireTask(t, stream, "SUBMITTED", placed)
		instances[0].Drain(t)
		requireTask(t, stream, "SUCCESS", placed)
		_, _, more := stream.Next(t)
		assert.False(t, more, "nothing follows")

		late := alice.Follow(t, events)
		requireTask(t, late, "SUCCESS", placed)
		_, _, more = late.Next(t)
		assert.False(t, more, "a finished task is told at once")
	})
}

func requireTask(t *testing.T, stream *site.Stream, status string, placed map[string]any) map[string]any {
	t.Helper()
	name, task, more := stream.Next(t)
	require.True(t, more, "the stream ended before %s", status)
	require.Equal(t, "task", name)
	require.Equal(t, status, task["status"])
	require.Equal(t, placed["order_number"], task["order_number"])
	require.Equal(t, placed["task_id"], task["task_id"])
	return task
}

// SQL turns out to have fewer units than Redis sold.
func TestWatchedTaskEndsWithFailureAndItsReason(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{PurchaseLimit: 1})
		alice := s.Buyer(t, "alice")
		placed := must(t, http.StatusAccepted, alice.Buy(t, activity, "sku", "k1"))
		stream := alice.Follow(t, tasks+placed["task_id"].(string)+"/events")
		requireTask(t, stream, "SUBMITTED", placed)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE activity_stock SET total = 0 WHERE activity_id = ?`,
			activity)
		require.NoError(t, err)

		s.Drain(t)

		assert.Equal(t, "no_stock", requireTask(t, stream, "FAILED", placed)["reason"])
		_, _, more := stream.Next(t)
		assert.False(t, more)
		o := must(t, http.StatusOK,
			alice.Call(t, http.MethodGet, "/api/v1/orders/"+placed["order_number"].(string), "", nil))
		assert.Equal(t, "failed", o["status"])
		assert.Equal(t, "no_stock", o["cancel_reason"])
		assert.Empty(t, boughtInRedis(t, stores, activity), "the limit is as if it had not been")
	})
}

func TestTaskIsVisibleOnlyToItsUser(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice, bob := s.Buyer(t, "alice"), s.Buyer(t, "bob")
		task := must(t, http.StatusAccepted, alice.Buy(t, activity, "sku", "k1"))["task_id"].(string)

		for range 2 { // cached, then stored
			for _, id := range []string{task, task + "x", "1.a.b.c", "nothing"} {
				requireRefusal(t, bob.Call(t, http.MethodGet, tasks+id, "", nil), http.StatusNotFound, "task_not_found")
				requireRefusal(t, bob.Call(t, http.MethodGet, tasks+id+"/events", "", nil), http.StatusNotFound,
					"task_not_found")
			}
			s.Drain(t)
		}
	})
}
