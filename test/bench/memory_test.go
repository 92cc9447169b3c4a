package bench

import (
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

const (
	// cachedOrders is how many orders are cached to see what one takes.
	cachedOrders = 20_000
	// mostMemory is what one may take, in bytes.
	mostMemory = 1700
)

func TestCachedOrderFitsItsMemory(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.Own(t).Stores, site.Idle()) // of its own: used_memory is the whole server's
	q := newQueue(t, s)
	q.place(t, 1) // the keys are there
	before := kit.UsedMemory(t, s.Stores.Redis)
	placed := q.place(t, cachedOrders)
	perOrder := float64(kit.UsedMemory(t, s.Stores.Redis)-before) / cachedOrders
	record, err := order.EncodeRecord(placed[0])
	require.NoError(t, err)
	t.Logf("an order with a record of %d bytes takes %.0f bytes of Redis memory", len(record), perOrder)
	for what, bytes := range q.byKey(t, s.Stores.Redis) {
		t.Logf("  %-8s %.0f bytes", what, bytes/cachedOrders)
	}
	assert.LessOrEqual(t, perOrder, float64(mostMemory))
}

// byKey is what the keys of the orders take, in bytes.
func (q *queue) byKey(tb testing.TB, rdb redis.UniversalClient) map[string]float64 {
	tb.Helper()
	keys, ctx := q.site.Stores.Keys, tb.Context()
	bytes := func(key string) float64 {
		n, err := rdb.MemoryUsage(ctx, key, 0).Result()
		require.NoError(tb, err)
		return float64(n)
	}
	return map[string]float64{
		"queue": bytes(keys.Queue(q.lane)),
		// But for its place in the keyspace.
		"record": bytes(keys.Orders(q.lane, fmt.Sprintf("user-%07d", q.placed))) * cachedOrders,
		"tasks":  bytes(keys.Tasks(q.lane, q.activity)),
		"held":   bytes(keys.Held(q.lane, q.activity)),
		"bought": bytes(keys.Bought(q.lane, q.activity)),
	}
}
