package faults

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// outage is SQL going away from an instance that two sales run on, as a buyer sees it. The
// instance's clock runs ahead a second with each wave, so that what it keeps in memory gets old.
type outage struct {
	s                 *site.Site
	ahead             *atomic.Int64 // nanoseconds
	virtual, physical string        // activities

	buyer  *site.Person
	keys   map[string]site.Answer // what was answered, by Idempotency-Key
	orders map[string]string      // order number → activity
}

func newOutage(t *testing.T, stores *kit.Stores) *outage {
	t.Helper()
	o := &outage{ahead: &atomic.Int64{}, keys: map[string]site.Answer{}, orders: map[string]string{}}
	o.s = site.Start(t, stores, site.Now(func() time.Time { return time.Now().Add(time.Duration(o.ahead.Load())) }))
	o.virtual = o.s.Open(t, site.Sale{SKU: "course"})
	o.physical = o.s.Open(t, site.Sale{
		SKU: "lamp", Kind: catalogue.Physical,
		Stock: map[string]int64{"0": 50, "east": 50}, Regions: map[string][]string{"east": {"shanghai"}},
	})
	o.buyer = o.s.Buyer(t, "alice")
	return o
}

// confirm gets a confirmation of one unit on a path.
func confirm(t *testing.T, p *site.Person, path, address string) string {
	t.Helper()
	a := p.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "",
		map[string]any{"quantity": 1, "address_id": address})
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	return a.JSON(t)["confirmation"].(string)
}

// run takes SQL away, buys in waves, brings it back, and sees everything stored.
func (o *outage) run(t *testing.T, name string, waves int, away, back func()) {
	t.Helper()
	address := o.buyer.Address(t, "shanghai")
	path := o.buyer.Path(t, o.physical, "lamp")
	confirmation := confirm(t, o.buyer, path, address)
	_ = o.buyer.Path(t, o.virtual, "course") // the activities are in memory now

	away()
	waitFor(t, "SQL is away", func() bool {
		ok, checks := ready(t, o.s)
		return !ok && checks["sql"] == "down" && checks["redis"] == "ok"
	})
	for wave := range waves {
		o.ahead.Add(int64(time.Second))
		key := fmt.Sprintf("%s-%d", name, wave)
		o.place(t, o.virtual, key+"-course", o.buyer.Path(t, o.virtual, "course"), map[string]any{"quantity": 1})
		body := map[string]any{"quantity": 1, "confirmation": confirmation}
		o.place(t, o.physical, key+"-lamp", path, body)
		o.requirePartial(t, 2*(wave+1))
	}
	waitFor(t, "the copy of the address is too old", func() bool {
		return o.buyer.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "",
			map[string]any{"quantity": 1, "address_id": address}).Code() == "unavailable"
	})
	unconfirmed := o.buyer.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/submit", name+"-unconfirmed",
		map[string]any{"quantity": 1, "address_id": address}) // once: Submit would send it a hundred times
	assert.Equal(t, "unavailable", unconfirmed.Code(), "an address that nobody can read now")

	back()
	waitFor(t, "everything is stored", func() bool {
		sources, partial := list(t, o.buyer)
		stored := 0
		for _, source := range sources {
			if source == "sql" {
				stored++
			}
		}
		return !partial && stored == len(o.orders)
	})
	o.requireStored(t)
}

func (o *outage) place(t *testing.T, activity, key, path string, body map[string]any) {
	t.Helper()
	a := o.buyer.Submit(t, path, key, body)
	o.orders[placed(t, a)] = activity
	o.keys[key] = a
	again := o.buyer.Submit(t, path, key, body)
	assert.Equal(t, a.Task(t), again.Task(t), "the same key")
}

// requirePartial sees at least the n orders of this outage in the list, which says that more may
// be missing, and each of them alone.
func (o *outage) requirePartial(t *testing.T, n int) {
	t.Helper()
	sources, partial := list(t, o.buyer)
	assert.True(t, partial, "partial")
	assert.GreaterOrEqual(t, len(sources), n, "cached orders in the list")
	for number, source := range sources {
		assert.Equal(t, "cache", source)
		assert.Contains(t, o.orders, number)
	}
	for number := range sources {
		assert.Equal(t, "cache", get(t, o.buyer, "/api/v1/orders/"+number)["source"])
		break
	}
}

func (o *outage) requireStored(t *testing.T) {
	t.Helper()
	for _, activity := range []string{o.virtual, o.physical} {
		stored := rows(t, o.s.Stores, activity)
		for number, of := range o.orders {
			if of == activity {
				require.Contains(t, stored, number)
				assert.Equal(t, order.Unpaid, stored[number].Status)
				delete(stored, number)
			}
		}
		assert.Empty(t, stored, "orders that nobody placed")
		requireSound(t, o.s.Stores, activity)
		assert.Empty(t, o.s.Audit(t, activity))
	}
	for key, a := range o.keys {
		task := "/api/v1/seckill/tasks/" + a.JSON(t)["task_id"].(string)
		waitFor(t, "the task of "+key+" is a success", func() bool {
			return get(t, o.buyer, task)["status"] == "SUCCESS"
		})
	}
}

func TestOrdersArePlacedWhileSQLIsUnavailableAndStoredAfterwards(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		newOutage(t, stores).run(t, "away", 10, func() { stores.SQLAway(t) }, func() { stores.SQLBack(t) })
	}, kit.Breakable())
}

func TestOrdersArePlacedWhileTheSQLServerIsFrozenOrKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the code of the test above, and waits for a server of its own")
	}
	own := kit.Own(t, kit.FlushAtCommit())
	o := newOutage(t, own.Stores)
	o.run(t, "frozen", 2, func() { own.SQLServer.Freeze(t) }, func() { own.SQLServer.Thaw(t) })
	o.run(t, "killed", 2, func() { own.SQLServer.Kill(t) }, func() { own.SQLServer.Restart(t) })
}
