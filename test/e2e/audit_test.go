package e2e

import (
	"net/http"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// The stock of Redis is wrong, in total and at a point, an order has lost its hold, and nobody's order has one. One
// repair corrects all of it, and the orders are consistent afterwards.
func TestRepairCorrectsStockAndHolds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, alice := s.Operator(t), s.Buyer(t, "alice")
		activity := s.Open(t, eastSale())
		audit := admin + "/activities/" + activity + "/audit"
		stored := buyEast(t, alice, activity, "k1", 1).Placed(t).OrderNumber
		s.Drain(t)
		cached := buyEast(t, alice, activity, "k2", 1).Placed(t).OrderNumber
		lane := site.Lane(t, stores, activity)
		held := stores.Keys.Held(lane, activity)
		tokens := stores.Redis.HGetAll(t.Context(), held).Val()
		require.Len(t, tokens, 2)
		requireAccount(t, op.Call(t, http.MethodGet, audit, "", nil), true)

		shift(t, stores, stores.Keys.Stock(lane, activity), "sku", 7)
		shift(t, stores, stores.Keys.Stock(lane, activity), "sku~west", 3)
		require.NoError(t, stores.Redis.HDel(t.Context(), held, stored).Err())
		require.NoError(t, stores.Redis.HSet(t.Context(), held, "12345", "sku~east~1~nobody").Err())

		assert.False(t, op.AuditActivity(t, activity).Ok)
		requireAccount(t, op.Call(t, http.MethodPost, audit+"/repair", "", nil), true)
		requireAccount(t, op.Call(t, http.MethodGet, audit, "", nil), true)
		assert.Equal(t, map[string]string{"sku": "2", "sku~east": "1", "sku~west": "1"},
			site.Stock(t, stores, activity))
		assert.Equal(t, tokens, stores.Redis.HGetAll(t.Context(), held).Val())

		for _, number := range []string{stored, cached} {
			alice.CancelOrder(t, number)
		}
		s.Drain(t)
		assert.Equal(t, map[string]string{"sku": "4", "sku~east": "3", "sku~west": "1"},
			site.Stock(t, stores, activity))
		assert.Empty(t, s.Audit(t, activity))
	})
}

func shift(t *testing.T, stores *kit.Stores, key, field string, by int64) {
	t.Helper()
	require.NoError(t, stores.Redis.HIncrBy(t.Context(), key, field, by).Err())
}

// requireAccount reads an account: one order stored, one placed, both in the east.
func requireAccount(t *testing.T, a site.Answer, ok bool) {
	t.Helper()
	account := site.Read[client.Audit](t, http.StatusOK, a)
	require.Equal(t, ok, account.Ok)
	require.Len(t, account.Items, 2)
	require.Equal(t, client.AuditItem{SKUID: "sku", PointID: "east", Total: 3, Remaining: 1, Placed: 1, Sold: 1},
		account.Items[0])
}

func TestDriftIsReportedPerPoint(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity := s.Open(t, eastSale())
		stock := stores.Keys.Stock(site.Lane(t, stores, activity), activity)
		_, err := stores.Redis.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			p.HIncrBy(t.Context(), stock, "sku~east", 2)
			p.HIncrBy(t.Context(), stock, "sku~west", -1)
			return nil
		})
		require.NoError(t, err)

		account := op.AuditActivity(t, activity)

		assert.False(t, account.Ok)
		drift := map[string]int64{}
		for _, item := range account.Items {
			drift[item.PointID] = item.Drift
		}
		assert.Equal(t, map[string]int64{"east": 2, "west": -1}, drift, "above 0 it would oversell")
		assert.Equal(t, []client.AuditTotal{{SKUID: "sku", Remaining: 4, Points: 5, Drift: -1}}, account.Totals)
		draft := s.Open(t, site.Sale{SKU: "other", Draft: true})
		for _, call := range []struct{ method, path string }{
			{http.MethodGet, "/audit"}, {http.MethodPost, "/audit/repair"},
		} {
			requireRefusal(t, op.Call(t, call.method, admin+"/activities/"+draft+call.path, "", nil),
				http.StatusConflict, "conflict")
			requireRefusal(t, op.Call(t, call.method, admin+"/activities/nothing"+call.path, "", nil),
				http.StatusNotFound, "not_found")
		}
	})
}
