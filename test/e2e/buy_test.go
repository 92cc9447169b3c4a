package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestAnOrderIsInMyOrdersBeforeAndAfterItMoved(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")

		placed := alice.Buy(t, activity, "sku", "k1").Placed(t)
		for _, row := range []struct{ task, source string }{{"SUBMITTED", "cache"}, {"SUCCESS", "sql"}} {
			assert.Equal(t, row.task, alice.GetTask(t, placed.TaskID).Status)
			list := alice.ListOrders(t, "").Items
			require.Len(t, list, 1)
			assert.Equal(t, placed.OrderNumber, list[0].OrderNumber)
			assert.Equal(t, row.source, list[0].Source)
			s.Drain(t)
		}
		assert.Empty(t, s.Audit(t, activity))
	})
}
