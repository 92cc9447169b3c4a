package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestUnpaidOrdersAreCancelledWhenOneOfThemCannotBe(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		sale := s.Open(t, site.Sale{Stock: map[string]int64{"0": 20}})
		for i := range 10 {
			require.Equal(t, http.StatusAccepted, s.Buyer(t, fmt.Sprintf("buyer%d", i)).Buy(t, sale, "sku", "k").Status)
		}
		s.Drain(t)
		require.Zero(t, s.Job(t, "cancel_unpaid"), "not due yet")
		exec(t, stores, `UPDATE orders SET pay_before_ms = 1`)
		exec(t, stores, `UPDATE orders SET record = REPLACE(record, '{"v"', '["v"') WHERE user_id = 'buyer0'`)
		for _, j := range s.Server.Jobs {
			if j.Name == "cancel_unpaid" {
				n, err := j.RunOnce(t.Context())
				require.ErrorContains(t, err, "the stock does not exist")
				require.Equal(t, 9, n)
			}
		}
		exec(t, stores, `UPDATE orders SET record = REPLACE(record, '["v"', '{"v"')`)
		assert.Empty(t, s.Audit(t, sale))
		require.Equal(t, 1, s.Job(t, "cancel_unpaid"))
		require.Zero(t, s.Job(t, "cancel_unpaid"))
		assert.Empty(t, s.Audit(t, sale))
		audit, err := s.Server.Auditor.Audit(t.Context(), sale)
		require.NoError(t, err)
		assert.EqualValues(t, 20, audit.Items[0].Remaining)
		var owed int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &owed, `SELECT COUNT(*) FROM stock_outbox`))
		assert.Zero(t, owed, "what Redis was told is done with")
	})
}

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
