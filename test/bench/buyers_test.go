package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	fewBuyers  = 1000
	manyBuyers = 20_000 // by default
	// buyersOrders is how many orders one turn places on each side; maxBuyersPart bounds the orders of one load.
	buyersOrders, maxBuyersPart = 10_000, 50_000
	// What submits have to bring after an order of each of many buyers, and if each of them comes from a new buyer.
	leastAfterMany, leastOnceEach = 0.6, 0.5
)

// BenchmarkManyBuyers places orders in a sale with a purchase limit in which very many buyers have ordered before:
// Redis has their tasks, tokens and counts, and SQL their orders. It compares that with another program in which
// 1,000 buyers have ordered before, and where the same 1,000 buyers place the orders that are measured.
//
//   - after: 1,000 of the many buyers place the orders, so only what the stores hold differs.
//   - once-each: each order comes from a buyer who has not ordered yet, as in a real crowd. The program has seen the
//     buyer's token shortly before, when the buyer asked for a path, which is not measured. The program caches
//     100,000 tokens, so a buyer's token would have to be verified again if more buyers asked in between.
//
// ONRUSH_BENCH_BUYERS sets how many have ordered before; by default it is 20,000.
func BenchmarkManyBuyers(b *testing.B) {
	skipLarge(b)
	n := scale(b, buyersEnv, manyBuyers)
	many, few := newBuyers(b, n), newBuyers(b, fewBuyers)
	known := many.submits(b, 0, fewBuyers, always(many.activity))
	ofFew := few.submits(b, 0, fewBuyers, always(few.activity))
	place := func(c *buyers, submits []load.Request, cost *used) func() float64 {
		return func() float64 { return c.placeAt(b, submits, buyersOrders, cost) }
	}
	place(many, known, &used{})() // warm up
	place(few, ofFew, &used{})()
	b.Run("after", func(b *testing.B) {
		var speeds turns
		var cost, costOfFew used
		for b.Loop() {
			speeds.take(place(many, known, &cost), place(few, ofFew, &costOfFew))
		}
		reportBuyers(b, &speeds, cost, costOfFew)
		speeds.report(b, "orders/s", "after-few/s", leastAfterMany)
	})
	b.Run("once-each", func(b *testing.B) {
		var speeds turns
		var cost, costOfFew used
		for b.Loop() {
			fresh := many.next(b, buyersOrders)
			many.askPaths(b, fresh)
			speeds.take(place(many, fresh, &cost), place(few, ofFew, &costOfFew))
		}
		reportBuyers(b, &speeds, cost, costOfFew)
		speeds.report(b, "orders/s", "of-few/s", leastOnceEach)
	})
}

// reportBuyers reports what the orders of the turns cost on each side.
func reportBuyers(b *testing.B, speeds *turns, cost, costOfFew used) {
	b.Helper()
	orders := float64(len(speeds.ratios) * buyersOrders)
	cost.report(b, orders, "")
	costOfFew.report(b, orders, "few-")
}

// buyers is a program with a sale in which buyers number 0 to ordered−1 have ordered.
type buyers struct {
	*program

	activity string
	ordered  int
}

func newBuyers(b *testing.B, n int) *buyers {
	b.Helper()
	c := &buyers{program: startProgramOn(b, kit.Own(b, kit.FsyncEverySecond(), kit.BufferMB(manyBufferMB)))}
	c.activity = c.inspector.Open(b, site.Sale{
		Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}, PurchaseLimit: 1 << 30, SKULimit: 1 << 30,
	})
	for c.ordered < n {
		submits := c.next(b, min(n-c.ordered, maxBuyersPart))
		c.place(b, submits, len(submits))
		c.drain(b)
	}
	counts, err := c.stores.Redis.HLen(b.Context(), c.stores.Keys.Bought(c.lane(b), c.activity)).Result()
	require.NoError(b, err)
	require.EqualValues(b, 2*n, counts)
	return c
}

func (c *buyers) lane(b *testing.B) (lane int) {
	b.Helper()
	require.NoError(b, c.stores.DB.Read.GetContext(b.Context(), &lane,
		`SELECT lane FROM activities WHERE activity_id = ?`, c.activity))
	return lane
}

// next returns the submits of the next n buyers.
func (c *buyers) next(b *testing.B, n int) []load.Request {
	b.Helper()
	submits := c.submits(b, c.ordered, n, always(c.activity))
	c.ordered += n
	return submits
}

// askPaths asks for a path once for each submit.
func (c *buyers) askPaths(b *testing.B, submits []load.Request) {
	b.Helper()
	c.ask(b, c.addr(), asks(submits, always(c.activity)))
}

// asks returns requests for a path, one of each buyer of submits, in the activity that in returns for its index.
func asks(submits []load.Request, in func(i int) string) []load.Request {
	asks := make([]load.Request, len(submits))
	for i := range asks {
		asks[i] = pathOf(in(i))("")
		asks[i].Token = submits[i].Token
	}
	return asks
}

// ask sends each of the requests for paths once, and returns how many were answered per second.
func (p *program) ask(b *testing.B, addr string, asks []load.Request) float64 {
	b.Helper()
	r := generate(b, load.Plan{
		Addr: addr, Connections: connections, Seconds: placeMost, Most: int64(len(asks)), Requests: asks,
	})[0]
	require.EqualValues(b, len(asks), r.Answers["200"], "%v", r)
	return r.Rate("200")
}
