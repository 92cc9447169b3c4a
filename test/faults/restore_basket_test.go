package faults

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// SQL has lost an order of two skus: it is one lost order, with a row per sku.
func TestALostBasketIsOneLostOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores)
		sale := s.Open(t, site.Sale{Others: []string{"tea"}, BasketMax: 2})
		ann := s.Buyer(t, "ann")
		lines := []map[string]any{{"sku_id": "sku", "quantity": 1}, {"sku_id": "tea", "quantity": 2}}
		path := ann.Insist(http.MethodPost, "/api/v1/seckill/path", "",
			map[string]any{"activity_id": sale, "lines": lines}).JSON(t)["path"].(string)
		number := ann.Submit(t, path, "key", map[string]any{"lines": lines}).Placed(t).OrderNumber
		s.Drain(t)
		_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM orders WHERE activity_id = ?`, sale)
		require.NoError(t, err)
		s.Stop(t)
		lost := finishRestore(t, site.Start(t, stores, site.Idle()), 0)
		require.Contains(t, lost, number)
		assert.Equal(t, "ann", lost[number].User)
	})
}
