package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

const tasks = "/api/v1/seckill/tasks/"

func TestPolledTaskSucceeds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		activity := instances[0].Open(t, site.Sale{})
		alice := instances[0].Buyer(t, "alice")
		placed := alice.Buy(t, activity, "sku", "k1").Placed(t)
		require.Equal(t, "SUBMITTED", placed.Status)
		require.Positive(t, placed.RefreshAfterMs)

		done := func(task client.Task) bool { return task.Status != "SUBMITTED" }
		assert.Equal(t, client.Task{Status: "SUCCESS", OrderNumber: placed.OrderNumber, TaskID: placed.TaskID},
			site.Poll(t, alice.At(instances[1]), tasks+placed.TaskID, done))
		o := alice.GetOrder(t, placed.OrderNumber)
		assert.Equal(t, "sql", o.Source)
	})
}

func TestWatchedTaskEndsWithSuccess(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		activity := instances[0].Open(t, site.Sale{})
		alice := instances[0].Buyer(t, "alice")
		placed := alice.Buy(t, activity, "sku", "k1").Placed(t)
		events := tasks + placed.TaskID + "/events"
		stream := alice.At(instances[1]).Follow(t, events)

		requireTask(t, stream, "SUBMITTED", placed)
		instances[0].Drain(t)
		requireTask(t, stream, "SUCCESS", placed)
		_, _, more := site.Next[client.Task](t, stream)
		assert.False(t, more, "nothing follows")

		late := alice.Follow(t, events)
		requireTask(t, late, "SUCCESS", placed)
		_, _, more = site.Next[client.Task](t, late)
		assert.False(t, more, "a finished task is told at once")
	})
}

func requireTask(t *testing.T, stream *site.Stream, status string, placed client.Submitted) client.Task {
	t.Helper()
	name, task, more := site.Next[client.Task](t, stream)
	require.True(t, more, "the stream ended before %s", status)
	require.Equal(t, "task", name)
	require.Equal(t, status, task.Status)
	require.Equal(t, placed.OrderNumber, task.OrderNumber)
	require.Equal(t, placed.TaskID, task.TaskID)
	return task
}

// SQL turns out to have fewer units than Redis sold.
func TestWatchedTaskEndsWithFailureAndItsReason(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{PurchaseLimit: 1})
		alice := s.Buyer(t, "alice")
		placed := alice.Buy(t, activity, "sku", "k1").Placed(t)
		stream := alice.Follow(t, tasks+placed.TaskID+"/events")
		requireTask(t, stream, "SUBMITTED", placed)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE activity_stock SET total = 0 WHERE activity_id = ?`,
			activity)
		require.NoError(t, err)

		s.Drain(t)

		assert.Equal(t, "no_stock", requireTask(t, stream, "FAILED", placed).Reason)
		_, _, more := site.Next[client.Task](t, stream)
		assert.False(t, more)
		o := alice.GetOrder(t, placed.OrderNumber)
		assert.Equal(t, "failed", o.Status)
		assert.Equal(t, "no_stock", o.CancelReason)
		assert.Empty(t, boughtInRedis(t, stores, activity), "the limit is as if it had not been")
	})
}
