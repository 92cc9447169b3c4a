package faults

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// failover is a sale of ten units after a failover to a replica that is behind. Before it was
// copied a1 and a2 were bought and moved, b was bought; after it, b moved, c1 to c3 were bought and
// moved, and a1 was cancelled. So SQL has sold five, and Redis offers seven.
type failover struct {
	s        *site.Site
	activity string
	numbers  map[string]string // order numbers by buyer
	tasks    map[string]string // task ids by buyer
}

func newFailover(t *testing.T, stores *kit.Stores) *failover {
	t.Helper()
	s := site.Start(t, stores, site.Idle())
	b := &failover{
		s: s, activity: s.Open(t, site.Sale{Stock: map[string]int64{"0": 10}, PurchaseLimit: 2}),
		numbers: map[string]string{}, tasks: map[string]string{},
	}
	b.buy(t, "a1", "a2")
	s.Drain(t)
	b.buy(t, "b")
	old := kit.CopyRedis(t, stores)
	b.buy(t, "c1", "c2", "c3")
	s.Drain(t)
	b.cancel(t, "a1")
	require.Empty(t, s.Audit(t, b.activity))
	old.TakeOver(t, stores)
	require.Equal(t, "7", remaining(t, s, b.activity)["sku"])
	require.EqualValues(t, 5, b.sold(t))
	return b
}

func (b *failover) buy(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		b.numbers[name] = placed(t, b.s.Buyer(t, name).Buy(t, b.activity, "sku", "key"))
	}
}

// sellOut buys for new buyers until nothing is left, and returns how many had an order accepted.
func (b *failover) sellOut(t *testing.T, name string) (names []string) {
	t.Helper()
	for i := range 20 {
		user := fmt.Sprintf("%s%d", name, i)
		p := b.s.Buyer(t, user)
		a := p.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
			map[string]string{"activity_id": b.activity, "sku_id": "sku"})
		if a.Status == http.StatusOK {
			a = p.Submit(t, a.JSON(t)["path"].(string), "key", map[string]any{"quantity": 1})
		}
		if a.Status != http.StatusAccepted {
			require.Contains(t, []string{"sold_out", "sold_out_unpaid_pending"}, a.Code(), string(a.Body))
			return names
		}
		b.numbers[user], b.tasks[user] = placed(t, a), a.JSON(t)["task_id"].(string)
		names = append(names, user)
	}
	return names
}

func (b *failover) cancel(t *testing.T, name string) {
	t.Helper()
	a := b.s.Buyer(t, name).Call(t, http.MethodPost, "/api/v1/orders/"+b.numbers[name]+"/cancel", "", nil)
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	b.s.Job(t, "settle_stock")
}

func (b *failover) sold(t *testing.T) int64 {
	t.Helper()
	return points(t, b.s.Stores, b.activity)["0"].Sold
}

// repair requires a drift in the audit and repairs it as an operator.
func (b *failover) repair(t *testing.T, drift float64) {
	t.Helper()
	operator, path := b.s.Operator(t), "/admin/api/v1/activities/"+b.activity+"/audit"
	audit := get(t, operator, path)
	assert.Equal(t, false, audit["ok"])
	item := audit["items"].([]any)[0].(map[string]any)
	assert.InDelta(t, drift, item["drift"], 0, "%v", item)
	a := operator.Call(t, http.MethodPost, path+"/repair", "", nil)
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	assert.Equal(t, true, a.JSON(t)["ok"], string(a.Body))
	assert.Empty(t, b.s.Audit(t, b.activity))
}

func TestSQLRefusesWhatAStaleRedisOfferedTwiceAfterAFailover(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		b := newFailover(t, stores)
		accepted := b.sellOut(t, "d")
		assert.Len(t, accepted, 7)
		b.s.Drain(t)
		assert.EqualValues(t, 10, b.sold(t))
		requireSound(t, stores, b.activity)
		assert.Len(t, b.failed(t, accepted), 2)

		b.cancel(t, "c1") // its hold was lost, so the cancel does not return its unit
		b.repair(t, -1)
		assert.Len(t, b.sellOut(t, "e"), 1)
		b.s.Drain(t)
		assert.EqualValues(t, 10, b.sold(t))
		requireSound(t, stores, b.activity)
		assert.Empty(t, b.s.Audit(t, b.activity))
	})
}

// failed returns the buyers whose orders failed for lack of stock, and requires that they see the reason.
func (b *failover) failed(t *testing.T, names []string) (failed []string) {
	t.Helper()
	stored := rows(t, b.s.Stores, b.activity)
	for _, name := range names {
		p := b.s.Buyer(t, name)
		task := get(t, p, "/api/v1/seckill/tasks/"+b.tasks[name])
		shown := get(t, p, "/api/v1/orders/"+b.numbers[name])
		if stored[b.numbers[name]].Status != order.Failed {
			assert.Equal(t, "SUCCESS", task["status"])
			assert.Equal(t, "unpaid", shown["status"])
			continue
		}
		failed = append(failed, name)
		assert.Equal(t, "FAILED", task["status"])
		assert.Equal(t, "no_stock", task["reason"])
		assert.Equal(t, "failed", shown["status"])
	}
	return failed
}

func TestRetryOfAKeyThatAFailoverLostReturnsItsOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		b := newFailover(t, stores)
		b.cancel(t, "c2") // Redis doesn't know of it
		for _, name := range []string{"c1", "c2", "c3"} {
			first := b.numbers[name]
			b.buy(t, name) // with the key from before
			require.NotEqual(t, first, b.numbers[name], "Redis has forgotten it")
			p, again := b.s.Buyer(t, name), b.numbers[name]
			a := p.Call(t, http.MethodPost, "/api/v1/orders/"+again+"/cancel", "", nil)
			require.Equal(t, http.StatusNotFound, a.Status, "%s", a.Body)
			b.s.Drain(t)
			b.buy(t, name)
			assert.Equal(t, first, b.numbers[name], "the key has its order again")
			sources, partial := list(t, p)
			assert.False(t, partial)
			assert.Equal(t, map[string]string{first: "sql"}, sources, "once in the list")
		}
		operator := b.s.Operator(t)
		assert.Empty(t, get(t, operator, "/admin/api/v1/queue/dead")["items"])
		// a1 was cancelled before, c2 now: SQL has sold four. Redis held a1, a2 and b; of what it had
		// lost c1 and c3 hold their units again.
		assert.EqualValues(t, 4, b.sold(t))
		assert.Equal(t, "5", remaining(t, b.s, b.activity)["sku"])
		b.repair(t, -1) // a1's
		c1 := b.s.Buyer(t, "c1")
		path := c1.Path(t, b.activity, "sku")
		placed(t, c1.Submit(t, path, "another-key", map[string]any{"quantity": 1}))
		third := c1.Submit(t, path, "a-third-key", map[string]any{"quantity": 1})
		assert.Equal(t, "purchase_limit", third.Code(), "its first order counts still: %s", third.Body)
		assert.Len(t, b.sellOut(t, "d"), 5)
		b.s.Drain(t)
		b.cancel(t, "c3")
		assert.Equal(t, "1", remaining(t, b.s, b.activity)["sku"])
		assert.Empty(t, b.s.Audit(t, b.activity))
		requireSound(t, stores, b.activity)
	})
}
