package faults

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// regions returns a sale of a physical sku at two points, with a limit of three units per user.
func regions() site.Sale {
	return site.Sale{
		Kind: catalogue.Physical, Stock: map[string]int64{"east": 20, "west": 10}, PurchaseLimit: 3, SKULimit: 3,
		Regions: map[string][]string{"east": {"shanghai"}, "west": {"sichuan"}},
	}
}

// flushed is a sale whose Redis was emptied: alice has bought at both points, and everything was
// in SQL by then.
type flushed struct {
	s        *site.Site
	activity string
	alice    *site.Person
	address  map[string]string // by region
	path     string
	first    site.Answer // one unit at east with the key "first"
	body     map[string]any
}

// newFlushed sells, and empties Redis.
func newFlushed(t *testing.T, stores *kit.Stores) *flushed {
	t.Helper()
	s := site.Start(t, stores, site.Idle())
	f := &flushed{s: s, activity: s.Open(t, regions()), alice: s.Buyer(t, "alice")}
	f.address = map[string]string{"shanghai": f.alice.Address(t, "shanghai"), "sichuan": f.alice.Address(t, "sichuan")}
	f.path = f.alice.Path(t, f.activity, "sku")
	f.body = map[string]any{"quantity": 1, "address_id": f.address["shanghai"]}
	f.first = f.alice.Submit(t, f.path, "first", f.body)
	_ = placed(t, f.first)
	_ = placed(t, f.alice.Submit(t, f.path, "second",
		map[string]any{"quantity": 1, "address_id": f.address["sichuan"]}))
	// One that was cancelled, whose unit the outbox still owes.
	owed := placed(t, f.alice.Submit(t, f.path, "third", f.body))
	f.cancelWithoutReturn(t, owed)
	s.Drain(t)
	flush(t, stores)
	lost := f.alice.Submit(t, f.path, "fourth", f.body)
	assert.Equal(t, http.StatusServiceUnavailable, lost.Status)
	assert.Equal(t, "unavailable", lost.Code())
	assert.Equal(t, f.first.Task(t), f.alice.Submit(t, f.path, "first", f.body).Task(t),
		"the old key is answered from SQL")
	return f
}

// cancelWithoutReturn cancels an order and stops before its unit goes back to Redis.
func (f *flushed) cancelWithoutReturn(t *testing.T, number string) {
	t.Helper()
	crashing := site.Start(t, reconnect(t, f.s.Stores), site.Idle(), site.Faults(dieAt("cancel_commit")))
	a := f.alice.At(crashing).Call(t, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
	require.Equal(t, http.StatusInternalServerError, a.Status, string(a.Body))
	crashing.Stop(t)
}

// requireBack compares the sale with its state before Redis lost it.
func (f *flushed) requireBack(t *testing.T, s *site.Site) {
	t.Helper()
	alice := f.alice.At(s)
	assert.Equal(t, map[string]string{"sku": "27", "sku~east": "18", "sku~west": "9"}, remaining(t, s, f.activity),
		"with the unit that is owed")
	assert.Empty(t, s.Audit(t, f.activity))
	s.Job(t, "settle_stock")
	s.Job(t, "settle_stock")
	assert.Equal(t, map[string]string{"sku": "28", "sku~east": "19", "sku~west": "9"}, remaining(t, s, f.activity),
		"the owed unit is back")

	again := alice.Submit(t, f.path, "first", f.body)
	assert.Equal(t, f.first.Task(t), again.Task(t), "the old key")
	task := get(t, alice, "/api/v1/seckill/tasks/"+f.first.JSON(t)["task_id"].(string))
	assert.Equal(t, "SUCCESS", task["status"])
	_ = placed(t, alice.Submit(t, f.path, "fourth", f.body))
	over := alice.Submit(t, f.path, "fifth", f.body)
	assert.Equal(t, "purchase_limit", over.Code(), "two from before and one count: %s", over.Body)

	number := f.first.JSON(t)["order_number"].(string)
	cancelled := alice.Call(t, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
	require.Equal(t, http.StatusOK, cancelled.Status, string(cancelled.Body))
	twice := alice.Call(t, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
	require.Equal(t, http.StatusOK, twice.Status, string(twice.Body))
	s.Job(t, "settle_stock")
	assert.Equal(t, map[string]string{"sku": "28", "sku~east": "19", "sku~west": "9"}, remaining(t, s, f.activity),
		"its unit is back once")
	_ = placed(t, alice.Submit(t, f.path, "fifth", f.body))

	f.requireNoOversell(t, s)
}

// requireNoOversell sells the rest and requires that one more order is refused.
func (f *flushed) requireNoOversell(t *testing.T, s *site.Site) {
	t.Helper()
	sold := 0
	for _, name := range []string{"b1", "b2", "b3", "b4", "b5", "b6", "b7"} { // 21 units for 18 that are left
		bob := s.Buyer(t, name)
		address := bob.Address(t, "shanghai")
		path := bob.Path(t, f.activity, "sku")
		for _, key := range []string{"1", "2", "3"} {
			a := bob.Submit(t, path, key, map[string]any{"quantity": 1, "address_id": address})
			if a.Status == http.StatusAccepted {
				sold++
				continue
			}
			assert.Contains(t, []string{"sold_out", "sold_out_unpaid_pending"}, a.Code(), string(a.Body))
		}
	}
	assert.Equal(t, 18, sold)
	s.Drain(t)
	requireSound(t, s.Stores, f.activity)
	assert.EqualValues(t, 20, points(t, s.Stores, f.activity)["east"].Sold)
	assert.Empty(t, s.Audit(t, f.activity))
}

func TestSaleThatRedisLostIsLoadedFromSQL(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		f := newFlushed(t, stores)
		a := f.s.Operator(t).Call(t, http.MethodPost, "/admin/api/v1/activities/"+f.activity+"/reload", "", nil)
		require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		again := f.s.Operator(t).Call(t, http.MethodPost, "/admin/api/v1/activities/"+f.activity+"/reload", "", nil)
		require.Equal(t, http.StatusConflict, again.Status, string(again.Body))
		unknown := f.s.Operator(t).Call(t, http.MethodPost, "/admin/api/v1/activities/nothing/reload", "", nil)
		require.Equal(t, http.StatusNotFound, unknown.Status, string(unknown.Body))
		f.requireBack(t, f.s)
	})
}

func TestStartOfTheProgramLoadsASaleThatRedisLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		f := newFlushed(t, stores)
		f.s.Stop(t)
		f.requireBack(t, site.Start(t, stores, site.Idle()))
	})
}

func TestPreheatJobLoadsASaleThatRedisLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		f := newFlushed(t, stores)
		assert.Equal(t, 1, f.s.Job(t, "preheat"))
		assert.Zero(t, f.s.Job(t, "preheat"))
		f.requireBack(t, f.s)
	})
}

// dieAt makes the work fail after a step, each time.
func dieAt(step string) order.Faults {
	return func(done string) error {
		if done == step {
			return errDied
		}
		return nil
	}
}

var errDied = errors.New("the test ends the work here")
