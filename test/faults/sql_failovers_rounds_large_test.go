//go:build large

package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// sqlUsers is how many buyers come in a round, sqlAtOnce of them at the same time.
const sqlUsers, sqlAtOnce = 120, 12

// sqlFailovers is a sale that two instances sell, whose DSN is the address of a proxy before a pair of SQL servers. In
// each round the replica becomes the primary while buyers order, pay and cancel, who repeat what was answered 503.
type sqlFailovers struct {
	p        *kit.Primaries // nil where the stores are others
	stores   *kit.Stores
	sites    [2]*site.Site
	activity string
	random   *rand.Rand

	lossy bool // the stores may lose what they have committed
	feed  *feed

	responses, unavailable, answered atomic.Int64

	mu     sync.Mutex
	visits []*visit // of the round
}

// visit is what a buyer was answered.
type visit struct {
	user, path    string
	number        string // of the order of the sale
	ordinary      string // number of the order outside of it; "" if there is none
	pays, cancels bool   // the order of the sale, perhaps at the same time
	money         site.Payment
	paid          bool // the notification was acknowledged
	cancelled     bool // the cancel was answered 200
}

func newSQLFailovers(t *testing.T, seed uint64, rounds int, opts ...site.Option) *sqlFailovers {
	t.Helper()
	p := kit.OwnPrimaries(t)
	f := newSQLFailoversOn(t, p.Stores, seed, rounds, opts...)
	f.p = p
	return f
}

// newSQLFailoversOn is newSQLFailovers on stores.
func newSQLFailoversOn(
	t *testing.T, stores *kit.Stores, seed uint64, rounds int, opts ...site.Option,
) *sqlFailovers {
	t.Helper()
	f := &sqlFailovers{stores: stores, random: kit.Rand(seed)}
	for i, s := range []*kit.Stores{stores, reconnect(t, stores)} {
		f.sites[i] = site.Start(t, s, opts...)
	}
	f.activity = f.sites[0].Open(t, site.Sale{Stock: map[string]int64{"0": sqlUsers * int64(rounds)}})
	_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE skus SET stock = ? WHERE sku_id = 'sku'`,
		sqlUsers*rounds)
	require.NoError(t, err)
	f.feed = newFeed(t, f.sites)
	return f
}

// sqlFaults are what may happen to the primary, without a loss of what it has answered.
var sqlFaults = []struct {
	name   string
	happen func(f *sqlFailovers, t *testing.T)
}{
	{"the primary is made read-only, killed and comes back before the switch", (*sqlFailovers).comeBack},
	{"planned switch, connections stay open", (*sqlFailovers).switchOver},
	{"kill -9 of the primary", (*sqlFailovers).killPrimary},
}

func (f *sqlFailovers) killPrimary(t *testing.T) {
	f.p.SQLServer.Kill(t)
	f.awaitResponses(t, sqlAtOnce)
	f.p.Promote(t)
	f.p.ReplicaServer.Restart(t)
}

// comeBack lets no commit be under way when the primary is killed: it would come back with what no replica has, and
// instances would read that.
func (f *sqlFailovers) comeBack(t *testing.T) {
	f.p.Demote(t)
	f.p.SQLServer.Kill(t)
	f.p.SQLServer.Restart(t)
	for _, s := range f.sites {
		waitFor(t, "SQL is read-only", func() bool {
			a := s.Stranger().Call(t, http.MethodGet, "/readyz", "", nil)
			return strings.Contains(string(a.Body), "sql: read-only")
		})
	}
	f.p.Promote(t)
}

func (f *sqlFailovers) switchOver(t *testing.T) {
	f.p.Demote(t)
	f.awaitResponses(t, sqlAtOnce)
	f.p.Promote(t)
}

// awaitResponses waits for so many more responses, whatever they say.
func (f *sqlFailovers) awaitResponses(t *testing.T, more int64) {
	t.Helper()
	enough := f.responses.Load() + more
	waitFor(t, "some responses", func() bool {
		return f.responses.Load() >= enough || f.answered.Load() == sqlUsers
	})
}

// round lets the buyers of a round come while something happens, and waits until all is settled.
func (f *sqlFailovers) round(t *testing.T, round int, happen func(*sqlFailovers, *testing.T)) {
	t.Helper()
	f.answered.Store(0)
	f.visits = nil
	work, end := context.WithCancel(context.WithoutCancel(t.Context()))
	var buyers sync.WaitGroup
	t.Cleanup(func() { end(); buyers.Wait() }) // where a fault fails, they must not outlive the test
	when := int64(1 + f.random.IntN(sqlUsers/2))
	buyers.Go(func() {
		inParallel(sqlUsers, sqlAtOnce, func(i int) { f.visit(work, t, i, fmt.Sprintf("round%d-%d", round, i)) })
	})
	waitFor(t, "enough answers", func() bool { return f.answered.Load() >= when })
	happen(f, t)
	buyers.Wait()
	end()
	f.settle(t)
}

// visit orders one unit in the sale, and some buyers one outside of it; then pays, cancels, both at once, or neither.
func (f *sqlFailovers) visit(ctx context.Context, t *testing.T, i int, user string) {
	defer f.answered.Add(1)
	p := f.sites[i%2].Buyer(t, user)
	v := &visit{user: user, pays: i%2 == 1, cancels: i%4 >= 2}
	a := f.insist(ctx, t, p, "/api/v1/seckill/path", "", map[string]string{"activity_id": f.activity, "sku_id": "sku"})
	if !f.expect(t, a, http.StatusOK) {
		return
	}
	v.path = "/api/v1/seckill/" + a.JSON(t)["path"].(string) + "/submit"
	a = f.insist(ctx, t, p, v.path, "key", map[string]any{"quantity": 1})
	if !f.expect(t, a, http.StatusAccepted) {
		return
	}
	v.number = a.JSON(t)["order_number"].(string)
	f.mu.Lock()
	f.visits = append(f.visits, v)
	f.mu.Unlock()
	if i%5 == 0 {
		a = f.insist(ctx, t, p, "/api/v1/orders", "ordinary", ordinary("sku"))
		if f.expect(t, a, http.StatusCreated) {
			v.ordinary = a.JSON(t)["orders"].([]any)[0].(map[string]any)["order_number"].(string)
		}
	}
	if v.pays {
		f.begin(ctx, t, p, v)
	}
	var both sync.WaitGroup
	if v.money.Number != "" {
		both.Go(func() { f.notify(ctx, t, i, v) })
	}
	if v.cancels {
		both.Go(func() {
			a := f.insist(ctx, t, p, "/api/v1/orders/"+v.number+"/cancel", "", nil)
			v.cancelled = f.expect(t, a, http.StatusOK, http.StatusConflict) && a.Status == http.StatusOK
		})
	}
	both.Wait()
}

// expect reports whether an answer has one of the statuses. Only a store that has lost something gives others.
func (f *sqlFailovers) expect(t *testing.T, a site.Answer, statuses ...int) bool {
	expected := slices.Contains(statuses, a.Status)
	assert.True(t, expected || f.lossy, "%d %s", a.Status, a.Body)
	return expected
}

// begin begins the payment of the order, and puts the money into the sandbox, which has its own ledger in SQL.
func (f *sqlFailovers) begin(ctx context.Context, t *testing.T, p *site.Person, v *visit) {
	a := f.insist(ctx, t, p, "/api/v1/payments", "pay",
		map[string]any{"order_numbers": []string{v.number}, "channel": "sandbox"})
	if !f.expect(t, a, http.StatusCreated) {
		return
	}
	m := a.JSON(t)
	v.money = site.Payment{
		Event: "event-" + v.user, Number: m["pay_number"].(string), Transaction: "txn-" + v.user,
		Amount: int64(m["amount"].(float64)), Currency: m["currency"].(string),
	}
	f.deposit(ctx, t, v)
}

// deposit adds the money of a visit to the ledger of the sandbox, which stands for a gateway and so must not lose it.
func (f *sqlFailovers) deposit(ctx context.Context, t *testing.T, v *visit) {
	until(t, func() bool {
		n, err := order.ParseNumber(v.money.Number)
		if err != nil {
			return false
		}
		_, err = f.stores.DB.Write.ExecContext(ctx, `REPLACE INTO sandbox_transactions
			(transaction_id, pay_number, amount, currency, at_ms) VALUES (?, ?, ?, ?, ?)`,
			v.money.Transaction, n, v.money.Amount, v.money.Currency, time.Now().UnixMilli())
		return err == nil
	})
}

// notify sends the notification of a payment until it is acknowledged. A gateway gives up late; here a payment that
// the store has lost is given up soon.
func (f *sqlFailovers) notify(ctx context.Context, t *testing.T, i int, v *visit) {
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; <-again.C {
		a, err := f.sites[(i+1)%2].Notify(ctx, v.money)
		f.responses.Add(1)
		if err == nil && a.Status == http.StatusOK {
			v.paid = true
			return
		}
		if err == nil && a.Status != http.StatusServiceUnavailable && f.lossy {
			return
		}
	}
	assert.Fail(t, "a payment is never acknowledged", v.user)
}

// insist posts until the answer is another than 503.
func (f *sqlFailovers) insist(
	ctx context.Context, t *testing.T, p *site.Person, path, key string, body any,
) (a site.Answer) {
	var err error
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil && !t.Failed(); <-again.C {
		if a, err = p.Try(ctx, http.MethodPost, path, key, body); err != nil {
			continue
		}
		f.responses.Add(1)
		if a.Status != http.StatusServiceUnavailable {
			return a
		}
		f.unavailable.Add(1)
	}
	return a
}

// settle waits until all orders are moved, all units are returned, and all refunds are sent.
func (f *sqlFailovers) settle(t *testing.T) {
	t.Helper()
	db := f.stores.ConnectSQL(t)
	defer func() { _ = db.Close() }()
	for what, query := range map[string]string{
		"the outbox":  `SELECT COUNT(*) FROM stock_outbox WHERE state = 'pending'`,
		"the refunds": `SELECT COUNT(*) FROM refunds WHERE status <> 'done'`,
		"the events":  `SELECT COUNT(*) FROM events WHERE position IS NULL`,
		"the queue":   `SELECT 0`,
	} {
		waitFor(t, what+" is empty", func() bool {
			n := -1
			return db.Write.GetContext(t.Context(), &n, query) == nil && n == 0 &&
				len(queued(t, f.sites[0], f.activity)) == 0
		})
	}
}

// judge returns the stores with new connections: those that the test had opened may lead to a former primary.
func (f *sqlFailovers) judge(t *testing.T) (s *kit.Stores, closed func()) {
	t.Helper()
	again := *f.stores
	again.DB = f.stores.ConnectSQL(t)
	return &again, func() { _ = again.DB.Close() }
}

// compare requires that SQL has what the buyers of the round were answered, and that they see it at both instances.
func (f *sqlFailovers) compare(t *testing.T) {
	t.Helper()
	stores, done := f.judge(t)
	defer done()
	stored := rows(t, stores, f.activity)
	f.feed.catchUp(t)
	for _, v := range f.visits {
		r, found := stored[v.number]
		if !assert.True(t, found, "the order of %s", v.user) {
			continue
		}
		assert.Contains(t, v.allowed(), r.Status, "the order of %s", v.user)
		for _, s := range f.sites {
			f.requireListed(t, s, v, r.Status)
		}
		f.requireMoney(t, stores, v, r.Status)
		f.feed.requireEvents(t, v, r.Status)
	}
	f.requireUnits(t, stores)
}

// allowed are the states that the order of a visit may have.
func (v *visit) allowed() []order.Status {
	switch {
	case v.cancelled, v.cancels && !v.pays:
		return []order.Status{order.Cancelled}
	case v.cancels: // refused, since the payment was faster; or the answer of an earlier cancel was lost
		return []order.Status{order.Paid, order.Cancelled}
	case v.paid:
		return []order.Status{order.Paid}
	}
	return []order.Status{order.Unpaid}
}

func (f *sqlFailovers) requireListed(t *testing.T, s *site.Site, v *visit, status order.Status) {
	t.Helper()
	listed := map[string]string{}
	for _, o := range s.Buyer(t, v.user).ListOrders(t, "page_size=100").Items {
		listed[o.OrderNumber] = string(o.Status)
	}
	expected := map[string]string{v.number: string(status)}
	if v.ordinary != "" {
		expected[v.ordinary] = string(order.Unpaid)
	}
	assert.Equal(t, expected, listed, "my orders of %s", v.user)
}

// requireMoney requires that the money of a visit is in a paid order or was sent back, once.
func (f *sqlFailovers) requireMoney(t *testing.T, stores *kit.Stores, v *visit, status order.Status) {
	t.Helper()
	var back int64
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &back,
		`SELECT COALESCE(SUM(amount), 0) FROM sandbox_refunds WHERE transaction_id = ?`, "txn-"+v.user))
	expected := int64(0)
	if v.paid && status != order.Paid {
		expected = v.money.Amount
	}
	assert.Equal(t, expected, back, "refunded to %s", v.user)
}

// requireUnits requires that SQL counts the units of its orders, and that Redis has the others.
func (f *sqlFailovers) requireUnits(t *testing.T, stores *kit.Stores) {
	t.Helper()
	var sold int64
	for _, r := range rows(t, stores, f.activity) {
		if r.Status == order.Unpaid || r.Status == order.Paid {
			sold += r.Quantity
		}
	}
	p := points(t, stores, f.activity)["0"]
	assert.Equal(t, sold, p.Sold)
	assert.LessOrEqual(t, p.Sold, p.Total)
	assert.Empty(t, f.sites[0].Audit(t, f.activity))
}

// run has rounds of some faults in turn, and compares after each.
func (f *sqlFailovers) run(t *testing.T, rounds int) {
	t.Helper()
	for round := range rounds {
		fault := sqlFaults[round%len(sqlFaults)]
		f.runRound(t, round, fault.name, fault.happen)
		if t.Failed() || round == rounds-1 {
			return
		}
		f.p.Rejoin(t)
	}
}

// runRound has one round, compares after it, and logs how it went.
func (f *sqlFailovers) runRound(t *testing.T, round int, fault string, happen func(*sqlFailovers, *testing.T)) {
	t.Helper()
	before, began := f.unavailable.Load(), time.Now()
	f.round(t, round, happen)
	f.compare(t)
	t.Logf("%3d %s: %d answered 503, %s", round, fault, f.unavailable.Load()-before,
		time.Since(began).Round(time.Millisecond))
}

func TestAFailoverOfSQLLosesNothingThatAReplicaHadToConfirm(t *testing.T) {
	t.Parallel()
	const rounds = 2
	f := newSQLFailovers(t, 3, rounds)
	f.run(t, rounds)
	assert.Zero(t, f.feed.missed, "pages of the feed that lack events")
}
