package myorders

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/test/kit"
)

// commands counts the commands of a client by their names.
type commands struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *commands) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (c *commands) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (c *commands) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.mu.Lock()
		for _, cmd := range cmds {
			c.counts[strings.ToLower(cmd.Name())]++
		}
		c.mu.Unlock()
		return next(ctx, cmds)
	}
}

// One buyer with thousands of cached orders costs little more than others: a list reads the records of its page.
func TestAListReadsTheRecordsOfItsPageOnly(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t) // miniredis scans a whole hash at once
	ctx := t.Context()
	w, first, stored := twoOrders(t, s)
	const many = maxCached + 100
	w.cacheMany(t, s, first, many)
	orders := patientOrders(s)
	counted := &commands{counts: map[string]int{}}
	s.Redis.AddHook(counted)

	newest := order.NewNumber(listNow, 2, 100+many-1)
	list, err := orders.List(ctx, w.user, Filter{}, api.Page{Page: 3, Size: 10})
	require.NoError(t, err)
	require.Len(t, list.Items, 10)
	assert.Equal(t, newest-20, list.Items[0].Number)
	assert.EqualValues(t, maxCached+1, *list.Total)
	assert.True(t, list.Partial, "older cached orders are not considered")
	delete(counted.counts, "select") // of a new connection
	assert.Equal(t, map[string]int{"hscan": testLanes, "hkeys": 1, "hget": 10}, counted.counts)

	list, err = orders.List(ctx, w.user, Filter{Name: "lamp"}, api.Page{Page: 1, Size: 10})
	require.NoError(t, err)
	assert.True(t, list.Partial, "a filter by name reads some of the records")
	assert.Equal(t, newest, list.Items[0].Number)
	assert.EqualValues(t, maxFiltered+1, *list.Total, "and the stored one")
	list, err = orders.List(ctx, w.user, Filter{Number: stored.Number}, api.Page{Page: 1, Size: 10})
	require.NoError(t, err)
	assert.False(t, list.Partial)
	assert.Len(t, list.Items, 1)
}

// cacheMany caches n orders of the user like one that exists.
func (w *world) cacheMany(t *testing.T, s *kit.Stores, like *order.Order, n int) {
	t.Helper()
	records := make([]any, 0, 2*n)
	for i := range n {
		o := *like
		o.Number = order.NewNumber(listNow, 2, uint32(100+i))
		data, err := order.EncodeRecord(&o)
		require.NoError(t, err)
		records = append(records, lua.OrderField(o.Number.String()), data)
	}
	require.NoError(t, s.Redis.HSet(t.Context(), s.Keys.Orders(2, w.user), records...).Err())
}

func TestListsOfManyCachedOrdersWaitForEachOtherAndDelayNoOtherList(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	w, first, _ := twoOrders(t, s)
	orders := patientOrders(s)
	for range cap(orders.cache.large) { // as many lists of others
		orders.cache.large <- struct{}{}
	}
	list, err := orders.List(t.Context(), w.user, Filter{}, api.Page{Page: 1, Size: 10})
	require.NoError(t, err)
	assert.False(t, list.Partial, "a user with few orders waits for nobody")
	assert.Len(t, list.Items, 2)

	w.cacheMany(t, s, first, 10*scanned)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = orders.List(ctx, w.user, Filter{}, api.Page{Page: 1, Size: 10})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	for range cap(orders.cache.large) {
		<-orders.cache.large
	}
	for range 3 { // a list gives its slots back
		list, err = orders.List(t.Context(), w.user, Filter{}, api.Page{Page: 1, Size: 10})
		require.NoError(t, err)
		assert.False(t, list.Partial)
		assert.Len(t, list.Items, 10)
	}
	assert.Empty(t, orders.cache.large)
}
