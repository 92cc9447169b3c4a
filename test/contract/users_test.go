package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestABuyersDataAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		ada := param("user_id", "ada")
		path := param("path", w.path(t, w.ada))
		body := withTexts(object{"quantity": 2, "delivery": "express", "address_id": w.address})
		placed := w.ada.do(t, 202, "submit", path, key("k1"), sent(body)).Placed(t)
		w.ada.do(t, 404, "createOrders", key("refused"), sent(object{"items": []any{object{"sku_id": "nothing"}}}))
		w.ada.do(t, 404, "takePath", sent(object{"activity_id": w.activity, "sku_id": "nothing"}))
		hits := do[client.SearchResult](t, w.op, 200, "search", query("q=refused"))
		require.Len(t, hits.Items, 1)
		x := do[client.UserExport](t, w.op, 200, "exportUser", ada)
		require.Len(t, x.WaitingOrders, 1)
		require.Len(t, x.Refusals, 2)
		trail := do[client.Trail](t, w.op, 200, "getUserTrail", ada)
		require.Len(t, trail.Orders, 1)
		w.site.Drain(t)
		w.op.do(t, 201, "noteOrder", param("order_number", placed.OrderNumber), sent(object{"text": "called"}))
		until := time.Now().Add(time.Hour)
		w.op.do(t, 200, "putBlocked", param("subject", "user:ada"), sent(object{"reason": "bot", "until": until}))
		x = do[client.UserExport](t, w.op, 200, "exportUser", ada)
		assert.Len(t, x.Orders, 1)
		assert.Len(t, x.Addresses, 1)
		assert.Len(t, x.Blocks, 1)

		w.op.do(t, 409, "eraseUser", ada, sent(object{"confirm": "ada"}))
		w.op.do(t, 422, "eraseUser", ada, sent(object{"confirm": "bob"}))
		bob := param("user_id", "bob")
		w.buyer(t, "bob").do(t, 201, "createAddress", sent(addressBody))
		assert.NotEmpty(t, do[client.Erased](t, w.op, 200, "eraseUser", bob, sent(object{"confirm": "bob"})).Pseudonym)
		assert.Empty(t, do[client.Erased](t, w.op, 200, "eraseUser", bob, sent(object{"confirm": "bob"})).Pseudonym)
	})
}
