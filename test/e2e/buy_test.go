package e2e

import (
	"net/http"
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

		placed := alice.Buy(t, activity, "sku", "k1")
		require.Equal(t, http.StatusAccepted, placed.Status, string(placed.Body))
		number := placed.JSON(t)["order_number"]
		task := "/api/v1/seckill/tasks/" + placed.JSON(t)["task_id"].(string)

		assert.Equal(t, "SUBMITTED", alice.Call(t, http.MethodGet, task, "", nil).JSON(t)["status"])
		first := alice.Call(t, http.MethodGet, "/api/v1/orders", "", nil).JSON(t)["items"].([]any)
		require.Len(t, first, 1)
		assert.Equal(t, number, first[0].(map[string]any)["order_number"])
		assert.Equal(t, "cache", first[0].(map[string]any)["source"])

		s.Drain(t)
		assert.Equal(t, "SUCCESS", alice.Call(t, http.MethodGet, task, "", nil).JSON(t)["status"])
		second := alice.Call(t, http.MethodGet, "/api/v1/orders", "", nil).JSON(t)["items"].([]any)
		require.Len(t, second, 1)
		assert.Equal(t, number, second[0].(map[string]any)["order_number"])
		assert.Equal(t, "sql", second[0].(map[string]any)["source"])
		assert.Empty(t, s.Audit(t, activity))
	})
}
