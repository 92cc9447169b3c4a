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
	"onrush/web/client"
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
	list := first.ListOrders(t, "")
	assert.EqualValues(t, sales, list.Total, "cached on several nodes: %v", list)
	assert.False(t, list.Partial)

	payAll(t, one, first, numbers[0])
	for _, number := range numbers[1] {
		one.Buyer(t, "buyer1").CancelOrder(t, number)
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
		assert.Equal(t, numbers[0][k], a.Placed(t).OrderNumber, "the key from before")
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
			client.PathRequest{ActivityID: activity, SKUID: fmt.Sprintf("sku%d", k)})
		if !assert.Equal(t, http.StatusOK, path.Status, string(path.Body)) {
			return nil
		}
		a := p.InsistOn(pathOf(path), "key", one)
		if !assert.Equal(t, http.StatusAccepted, a.Status, string(a.Body)) {
			return nil
		}
		numbers = append(numbers, parsed[client.Submitted](a).OrderNumber)
	}
	return numbers
}

// payAll pays the orders with one payment.
func payAll(t *testing.T, s *site.Site, buyer *site.Person, numbers []string) {
	t.Helper()
	p := buyer.BeginPayment(t, "pay", numbers...)
	paid, err := s.Notify(t.Context(), site.Payment{
		Number: p.PayNumber, Transaction: "money", Amount: p.Amount, Currency: p.Currency,
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, paid.Status, string(paid.Body))
}
