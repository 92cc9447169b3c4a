package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestARetiredSaleLeavesNothingInRedisAndIsAnsweredFromSQL(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		sale := s.Open(t, site.Sale{})
		ann := s.Buyer(t, "ann")
		path := ann.Path(t, sale, "sku")
		placed := ann.Submit(t, path, "k", one).Placed(t)
		exec(t, stores, `UPDATE activities SET ends_ms = 1`)
		require.Zero(t, s.Job(t, "retire_activities"), "an order is in the queue")
		s.Drain(t)
		require.Zero(t, s.Job(t, "retire_activities"), "an order is unpaid")
		exec(t, stores, `UPDATE orders SET pay_before_ms = 1`)
		require.Equal(t, 1, s.Job(t, "cancel_unpaid"))
		require.Equal(t, 1, s.Job(t, "retire_activities"))
		require.Zero(t, s.Job(t, "retire_activities"))
		keys, err := stores.Redis.Keys(t.Context(), "*:"+sale+":*").Result()
		require.NoError(t, err)
		assert.Empty(t, keys)
		require.Zero(t, s.Job(t, "preheat"))

		assert.Equal(t, placed.OrderNumber, ann.Submit(t, path, "k", one).Placed(t).OrderNumber)
		assert.Equal(t, "SUCCESS", ann.GetTask(t, placed.TaskID).Status)
	})
}

func exec(t *testing.T, stores *kit.Stores, query string) {
	t.Helper()
	_, err := stores.DB.Write.ExecContext(t.Context(), query)
	require.NoError(t, err)
}
