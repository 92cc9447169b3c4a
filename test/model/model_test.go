package model

import (
	"context"
	"fmt"
	"math/bits"
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"

	"onrush/app/server"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

const (
	sku        = "sku"
	price      = 100 // of a unit of a sku, and of a bundle
	payWithinS = 900
	operators  = "/admin/api/v1"

	retireAfter = time.Hour
	// actionTakes is how far each action moves the clock, so that no copy that an instance has is fresh any more.
	actionTakes = 2 * time.Second
	maxSales    = 2
	// repeats is how often a request is sent again: once would be enough if no machine were busy.
	repeats = 3
)

var (
	users  = []string{"ann", "bob", "cleo"}
	points = []string{"east", "west"}
)

// model is what buyers, operators and gateways know of two instances of the program over the same stores.
type model struct {
	tb

	stores    *kit.Stores
	clock     *kit.Clock
	faults    *faults
	seen      *tally
	instances [2]*site.Site

	sales    []*sale
	orders   []*placed // accepted ones, without those that were lost with Redis
	lost     []*placed
	losses   int // how often Redis was emptied
	overtook int // how often an action was overtaken
	payments []*payment
	money    []*money
	refunds  []*refund
	changes  []*change

	feed   feed
	checks int // how often Check ran
	keys   int // how many Idempotency-Keys were used
}

// sale is a published activity.
type sale struct {
	id       string
	lane     int
	kind     kind
	limit    int64 // units per buyer
	paused   bool
	ended    bool
	totals   map[string]int64 // by sku and point, as it was made
	reserved map[string]int64 // units of the sku that are reserved for the member, by point; nil if none are
}

// placed is an accepted order.
type placed struct {
	number, task    string
	user, key, path string
	sale            *sale
	point           string
	goods           string // a sku or the bundle
	count           int64  // of the goods
	member          bool   // units were reserved for its buyer
	due             time.Time

	status order.Status // as it was last seen in SQL; "" while only Redis has it
	record string       // as it was before it was spoiled; "" if it isn't
	// Why its status may change.
	paid, cancelled, discarded bool
	refunded                   int64
	refunds                    int
}

func (o *placed) total() int64 { return price * o.count }

// takes returns the units of each sku that it takes.
func (o *placed) takes() map[string]int64 { return takes(o.goods, o.count) }

// quantity returns how many units it takes in all.
func (o *placed) quantity() (sum int64) {
	for _, units := range o.takes() {
		sum += units
	}
	return sum
}

// body is the body of its submit.
func (o *placed) body() map[string]any {
	return map[string]any{"quantity": o.count, "delivery": "pickup", "pickup_point_id": o.point}
}

// newModel starts two instances with a sale.
func newModel(t testing.TB, check *rapid.T, stores *kit.Stores, seen *tally) *model {
	t.Helper()
	m := &model{
		tb: tb{t, check}, stores: stores, clock: kit.NewClock(time.Now()), seen: seen,
		faults: &faults{what: none, fired: seen},
	}
	if stores.Name == kit.Embedded {
		stores.SQLFails(m, func(call string) bool { return m.faults.hits(failed, call) })
	}
	for i := range m.instances {
		m.instances[i] = m.start()
	}
	m.open(check)
	m.seen.count("check")
	return m
}

// start starts an instance with its own connections to Redis.
func (m *model) start() *site.Site {
	stores := *m.stores
	stores.Redis = m.stores.ConnectRedis(m)
	stores.Redis.AddHook(m.faults)
	return site.Start(m, &stores, site.Idle(), site.Time(m.clock.Now), site.Faults(m.faults.step),
		site.Configured(func(cfg *server.Config) { cfg.Keep.Sales = retireAfter }))
}

// act begins an action: time passes, and it is drawn which instance acts, and what goes wrong.
func (m *model) act(t *rapid.T) *site.Site {
	m.clock.Advance(actionTakes)
	i := uniform(len(m.instances)).Draw(t, "instance")
	m.inject(t, m.instances[1-i])
	return m.instances[i]
}

// overtaking are the jobs that overtake an action.
var overtaking = []string{
	"move_orders", "move_orders", "cancel_unpaid", "settle_stock", "send_refunds", "query_payments", "preheat",
	emptied, emptied,
}

// emptied stands for a Redis that is emptied, and then loaded.
const emptied = "emptied"

// overtakes bounds such a job: it waits for the locks of SQL that the action holds.
const overtakes = 100 * time.Millisecond

// inject draws what goes wrong, and after how many steps or calls.
func (m *model) inject(t *rapid.T, other *site.Site) {
	switch what := pick(t, "fault", drawn, every); what {
	case stop:
		m.faults.arm(what, uniform(maxSteps).Draw(t, "after"), nil)
	case unsent, unanswered:
		m.faults.arm(what, uniform(maxCalls).Draw(t, "after"), nil)
	case failed:
		m.faults.arm(what, uniform(maxStatements).Draw(t, "after"), nil)
	case overtaken:
		job := pick(t, "job", overtaking, every)
		m.faults.arm(what, uniform(maxCalls).Draw(t, "after"), func() { m.overtake(other, job) })
	case none:
	}
}

// overtake runs a job of an instance while the other one acts.
func (m *model) overtake(other *site.Site, job string) {
	ctx, cancel := context.WithTimeout(m.background(), overtakes)
	defer cancel()
	m.overtook++
	if job == emptied {
		m.empty()
		job = "preheat"
	}
	for _, j := range other.Server.Jobs {
		if j.Name == job {
			_, _ = j.RunOnce(ctx) // it may have to wait too long for the action
		}
	}
}

// key returns a new Idempotency-Key.
func (m *model) key() string {
	m.keys++
	return fmt.Sprintf("key-%d", m.keys)
}

// call sends a request, and again without a fault unless the outcome is known: clients do that.
func (m *model) call(p *site.Person, method, path, key string, body any) site.Answer {
	a := p.Ask(method, path, key, body)
	m.faults.disarm()
	for range repeats {
		if a.Status != 0 && a.Status < http.StatusInternalServerError {
			break
		}
		a = p.Ask(method, path, key, body)
	}
	return a
}

// get reads a resource as clients do: again after a 503, which a busy machine may cause.
func get[T any](m *model, p *site.Person, path string) T {
	return site.Read[T](m, http.StatusOK, p.Insist(http.MethodGet, path, "", nil))
}

func (m *model) post(p *site.Person, path, key string, body any) site.Answer {
	return m.call(p, http.MethodPost, path, key, body)
}

// uniform draws one of the numbers below n, each as often: the numbers that rapid draws are small more often.
func uniform(n int) *rapid.Generator[int] {
	return rapid.Custom(func(t *rapid.T) (drawn int) {
		for range bits.Len(uint(n-1)) + 4 {
			drawn *= 2
			if rapid.Bool().Draw(t, "bit") {
				drawn++
			}
		}
		return drawn % n
	})
}

// pick draws one of those things that meet a condition; without one, the action ends.
func pick[T any](t *rapid.T, label string, all []T, meets func(T) bool) T {
	var found []T
	for _, thing := range all {
		if meets(thing) {
			found = append(found, thing)
		}
	}
	if len(found) == 0 {
		panic(nothing{})
	}
	return found[uniform(len(found)).Draw(t, label)]
}

// every is a condition of pick that all things meet.
func every[T any](T) bool { return true }

// background is the context of calls that are no part of an action.
func (m *model) background() context.Context { return context.WithoutCancel(m.Context()) }

// require fails the check unless a condition holds.
func (m *model) require(holds bool, format string, args ...any) {
	if !holds {
		m.Fatalf(format, args...)
	}
}

// ok fails the check if something failed that has no fault.
func (m *model) ok(err error, doing string) { m.require(err == nil, "%s: %v", doing, err) }

// tb lets the test kit work for one check.
type tb struct {
	testing.TB
	check *rapid.T
}

func (t tb) Helper()                           {}
func (t tb) Cleanup(f func())                  { t.check.Cleanup(f) }
func (t tb) Context() context.Context          { return t.check.Context() }
func (t tb) Error(args ...any)                 { t.check.Error(args...) }
func (t tb) Errorf(format string, args ...any) { t.check.Errorf(format, args...) }
func (t tb) Fail()                             { t.check.Fail() }
func (t tb) FailNow()                          { t.check.FailNow() }
func (t tb) Failed() bool                      { return t.check.Failed() }
func (t tb) Fatal(args ...any)                 { t.check.Fatal(args...) }
func (t tb) Fatalf(format string, args ...any) { t.check.Fatalf(format, args...) }
func (t tb) Log(args ...any)                   { t.check.Log(args...) }
func (t tb) Logf(format string, args ...any)   { t.check.Logf(format, args...) }
