package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// Four sales have four lanes, which lie on different nodes.
func TestSalesRunOnARedisCluster(t *testing.T) {
	t.Parallel()
	const sales, buyers = 4, 30
	stores := kit.OnCluster(t)
	one, two := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())
	activities := make([]string, sales)
	for i := range activities {
		activities[i] = one.Open(t,
			site.Sale{SKU: fmt.Sprintf("sku%d", i), Stock: map[string]int64{"0": buyers}, PurchaseLimit: 1})
	}
	numbers := kit.AtOnce(buyers, func(i int) []string {
		return buyOfEach(t, one.Buyer(t, fmt.Sprintf("buyer%d", i)), two, activities)
	})
	first := one.Buyer(t, "buyer0")
	list := first.Call(t, http.MethodGet, "/api/v1/orders", "", nil).JSON(t)
	assert.InDelta(t, sales, list["total"], 0, "cached on several nodes: %v", list)
	assert.Equal(t, false, list["partial"])

	payAll(t, one, first, numbers[0])
	for _, number := range numbers[1] {
		a := one.Buyer(t, "buyer1").Call(t, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
		require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	}
	rest := func() {
		one.Drain(t)
		two.Job(t, "settle_stock")
		for _, activity := range activities {
			assert.Empty(t, one.Audit(t, activity))
			audit, err := two.Server.Auditor.Audit(t.Context(), activity)
			require.NoError(t, err)
			assert.EqualValues(t, 1, audit.Items[0].Remaining, "the cancelled one is back")
			assert.EqualValues(t, buyers-1, audit.Items[0].Sold)
		}
	}
	rest()

	nodes, ok := stores.Redis.(*redis.ClusterClient)
	require.True(t, ok)
	require.NoError(t, nodes.ForEachMaster(t.Context(), func(ctx context.Context, node *redis.Client) error {
		return node.FlushDB(ctx).Err()
	}))
	lost := one.Buyer(t, "late").Buy(t, activities[0], "sku0", "key")
	assert.Equal(t, "unavailable", lost.Code(), string(lost.Body))
	one.Job(t, "preheat")
	rest()
	for k, activity := range activities {
		a := first.Buy(t, activity, fmt.Sprintf("sku%d", k), "key")
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		assert.Equal(t, numbers[0][k], a.JSON(t)["order_number"], "the key from before")
		limit := first.Buy(t, activity, fmt.Sprintf("sku%d", k), "another")
		assert.Equal(t, "purchase_limit", limit.Code(), string(limit.Body))
	}
	rest()
}

// buyOfEach buys one of each sale, with the path from one instance and the submit to the buyer's own. It
// returns nil if one is refused.
func buyOfEach(t *testing.T, p *site.Person, two *site.Site, activities []string) (numbers []string) {
	t.Helper()
	for k, activity := range activities {
		path := p.At(two).Ask(http.MethodPost, "/api/v1/seckill/path", "",
			map[string]string{"activity_id": activity, "sku_id": fmt.Sprintf("sku%d", k)})
		if !assert.Equal(t, http.StatusOK, path.Status, string(path.Body)) {
			return nil
		}
		a := p.InsistOn(path.JSON(t)["path"].(string), "key", map[string]any{"quantity": 1})
		if !assert.Equal(t, http.StatusAccepted, a.Status, string(a.Body)) {
			return nil
		}
		numbers = append(numbers, a.JSON(t)["order_number"].(string))
	}
	return numbers
}

// payAll pays the orders with one payment.
func payAll(t *testing.T, s *site.Site, buyer *site.Person, numbers []string) {
	t.Helper()
	p := buyer.Pay(t, "pay", numbers...)
	require.Equal(t, http.StatusCreated, p.Status, string(p.Body))
	money := p.JSON(t)
	paid, err := s.Notify(t.Context(), site.Payment{
		Number: money["pay_number"].(string), Transaction: "money", Amount: int64(money["amount"].(float64)),
		Currency: money["currency"].(string),
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, paid.Status, string(paid.Body))
}
