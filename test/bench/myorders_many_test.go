package bench

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/load"
)

const (
	fewStored    = 10_000
	manyStored   = 200_000 // by default
	manyBufferMB = 2048
	manySeconds  = 1.0 // of one turn
	// activeBuyers is how many of the buyers list their orders.
	activeBuyers = 2000
	// What a list has to bring among many stored orders, on page 100, and deep behind a cursor.
	leastOfFew, leastPage100, leastDeep = 0.6, 0.6, 0.6
)

// BenchmarkManyOrders lists orders while SQL has very many. It compares
//
//   - the first page of 2,000 buyers among all orders with the first page of 333 buyers among 10,000 orders in another
//     program (few); each of these buyers has 30 orders;
//   - page 100 of 100 buyers who have 1,000 orders each with their first page (page-100);
//   - the last 10 orders of these buyers by cursor with their first 10 by cursor (deep-cursor).
//
// The buffer pool has 2 GB. ONRUSH_BENCH_ORDERS sets the number of orders; by default it is 200,000.
func BenchmarkManyOrders(b *testing.B) {
	skipLarge(b)
	n := scale(b, ordersEnv, manyStored)
	many, few := newStored(b, n), newStored(b, fewStored)
	for _, bench := range []struct {
		name         string
		ours, theirs load.Plan
		unit         string
		least        float64
	}{
		{"few", many.firstPages(b), few.firstPages(b), "of-few/s", leastOfFew},
		{"page-100", many.page(b, 100), many.page(b, 1), "page-1/s", leastPage100},
		{"deep-cursor", many.behind(b, heavyOrders-10), many.behind(b, 0), "first/s", leastDeep},
	} {
		b.Run(bench.name, func(b *testing.B) {
			list := func(plan load.Plan) func() float64 {
				return func() float64 {
					r := generate(b, plan)[0]
					b.Log(r)
					return r.Rate("200")
				}
			}
			list(bench.ours)() // warm up
			list(bench.theirs)()
			var speeds turns
			for b.Loop() {
				speeds.take(list(bench.ours), list(bench.theirs))
			}
			speeds.report(b, "lists/s", bench.unit, bench.least)
		})
	}
}

// stored is a program with many stored orders.
type stored struct {
	*program

	filler *filler
}

func newStored(b *testing.B, n int) *stored {
	b.Helper()
	stores := kit.Own(b, kit.FsyncEverySecond(), kit.BufferMB(manyBufferMB))
	f := newFiller(b, stores.Stores, n)
	f.fill(b)
	return &stored{startProgramOn(b, stores), f}
}

func (s *stored) plan(requests []load.Request) load.Plan {
	return load.Plan{Addr: s.addr(), Connections: connections, Seconds: manySeconds, Requests: requests}
}

// firstPages lists the first page of buyers with 30 orders, who lie evenly among all of them.
func (s *stored) firstPages(b *testing.B) load.Plan {
	b.Helper()
	var requests []load.Request
	active := min(activeBuyers, s.filler.buyers())
	for i := range active {
		user := fmt.Sprintf("buyer-%d", i*s.filler.buyers()/active)
		s.requireTotal(b, i, user, listOrders)
		requests = append(requests, s.list(b, user, firstPage))
	}
	return s.plan(requests)
}

// page lists a page of each buyer with many orders.
func (s *stored) page(b *testing.B, page int) load.Plan {
	b.Helper()
	var requests []load.Request
	for i := range heavyBuyers {
		user := fmt.Sprintf("heavy-%d", i)
		s.requireTotal(b, i, user, heavyOrders)
		requests = append(requests, s.list(b, user, fmt.Sprintf("%s&page=%d", firstPage, page)))
	}
	return s.plan(requests)
}

// behind lists the orders of each buyer with many orders that follow on the newest skip ones.
func (s *stored) behind(b *testing.B, skip int) load.Plan {
	b.Helper()
	var requests []load.Request
	for i := range heavyBuyers {
		user := fmt.Sprintf("heavy-%d", i)
		var first order.Number
		require.NoError(b, s.stores.DB.Read.GetContext(b.Context(), &first,
			`SELECT number FROM orders WHERE user_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?`, user, skip))
		requests = append(requests, s.list(b, user, fmt.Sprintf("%s&before=%d", firstPage, first+1)))
	}
	return s.plan(requests)
}

// requireTotal checks how many orders a buyer has, for the first of them.
func (s *stored) requireTotal(b *testing.B, i int, user string, want int) {
	b.Helper()
	if i > 0 {
		return
	}
	a := s.inspector.Buyer(b, user).Call(b, http.MethodGet, firstPage, "", nil)
	require.EqualValues(b, want, a.JSON(b)["total"], string(a.Body))
}
