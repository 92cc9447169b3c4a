package bench

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	groupBuyers = 200 // with the same number of cached orders
	// What my orders with 3 and with 30 cached orders have to bring of those without any.
	leastWith3, leastWith30 = 0.6, 0.4
	// leastAlone is what my orders of one connection have to bring of a bare handler.
	leastAlone = 0.4
)

// BenchmarkMyOrdersCached lists the first page of buyers with 30 stored orders and 3 or 30 cached ones, and compares
// it with buyers who have 30 stored orders and none that is cached. The program is the same one; its movers are paused.
func BenchmarkMyOrdersCached(b *testing.B) {
	p := startProgram(b)
	activity := p.inspector.Open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}})
	p.moving(b, "pause")
	groups := map[int]load.Plan{}
	for i, cached := range []int{0, 3, 30} {
		groups[cached] = p.group(b, i*groupBuyers, cached, activity)
	}
	for _, bench := range []struct {
		cached int
		least  float64
	}{{3, leastWith3}, {30, leastWith30}} {
		b.Run(fmt.Sprintf("cached-%d", bench.cached), func(b *testing.B) {
			list := func(cached int) func() float64 {
				return func() float64 { return generate(b, groups[cached])[0].Rate("200") }
			}
			list(bench.cached)() // warm up
			var speeds turns
			for b.Loop() {
				speeds.take(list(bench.cached), list(0))
			}
			speeds.report(b, "lists/s", "uncached-lists/s", bench.least)
		})
	}
}

// group stores 30 orders of each buyer of a group and caches some more, and returns the lists of these buyers.
func (p *program) group(b *testing.B, first, cached int, activity string) load.Plan {
	b.Helper()
	for i := first; i < first+groupBuyers; i++ {
		p.storePaid(b, i)
	}
	if cached > 0 {
		p.place(b, p.submits(b, first, groupBuyers, always(activity)), groupBuyers*cached)
	}
	a := p.inspector.Buyer(b, fmt.Sprintf("buyer-%d", first)).Call(b, http.MethodGet, firstPage, "", nil)
	require.EqualValues(b, listOrders+cached, a.JSON(b)["total"], string(a.Body))
	plan := load.Plan{Addr: p.addr(), Connections: connections, Seconds: few(listSeconds)}
	for i := first; i < first+groupBuyers; i++ {
		plan.Requests = append(plan.Requests, p.list(b, fmt.Sprintf("buyer-%d", i), firstPage))
	}
	return plan
}

// firstPage is the path of the list that most clients ask for.
const firstPage = "/api/v1/orders?page_size=10"

// list returns the request of a user for a list.
func (p *program) list(b *testing.B, user, path string) load.Request {
	b.Helper()
	return load.Request{Method: http.MethodGet, Path: path, Token: p.token(b, user)}
}

// storePaid stores paid orders of buyer i, which no job changes.
func (p *program) storePaid(b *testing.B, i int) {
	b.Helper()
	orders := make([]*order.Order, listOrders)
	for n := range orders {
		orders[n] = listedOrder(fmt.Sprintf("buyer-%d", i), i, n)
		orders[n].Status, orders[n].PaidMS = order.Paid, int64(orders[n].PlacedAt)
	}
	require.NoError(b, p.stores.DB.InTx(b.Context(), func(tx *sqlx.Tx) error {
		return order.Insert(b.Context(), tx, orders, nil)
	}))
}

// BenchmarkMyOrdersAlone lists the first page of buyers with 30 stored orders over one connection, and compares the
// median of its latencies with a bare handler's, which reads eight columns of the same page by one SELECT.
// A speed is the number of lists that fit into a second at that latency.
func BenchmarkMyOrdersAlone(b *testing.B) {
	p := startProgram(b)
	ours := load.Plan{Addr: p.addr(), Connections: 1, Seconds: few(listSeconds)}
	bare := ours
	bare.Addr = serveBare(b, p.stores.DB)
	for i := range groupBuyers {
		p.storePaid(b, i)
		user := fmt.Sprintf("buyer-%d", i)
		ours.Requests = append(ours.Requests, p.list(b, user, firstPage))
		bare.Requests = append(bare.Requests, p.list(b, user, "/?page_size=10&user="+user))
	}
	perSecond := func(plan load.Plan) func() float64 {
		return func() float64 {
			r := generate(b, plan)[0]
			require.NotZero(b, r.Answers["200"], "%v", r)
			return 1000 / r.P50
		}
	}
	perSecond(ours)() // warm up
	var speeds turns
	for b.Loop() {
		speeds.take(perSecond(ours), perSecond(bare))
	}
	b.ReportMetric(1000/median(speeds.ours), "p50-ms")
	b.ReportMetric(1000/median(speeds.theirs), "bare-p50-ms")
	b.ReportMetric(1/median(speeds.ratios), "times-bare-p50")
	speeds.report(b, "lists/s", "bare/s", leastAlone)
}
