package bench

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/site"
)

const (
	manyActivities = 300
	// activitiesOrders is how many orders one turn places on each side, each of a new buyer.
	activitiesOrders = 9000
	// leastActivities is what submits to 300 activities have to bring of submits to one.
	leastActivities = 0.22
)

// withEverything is a sale with permits, purchase limits and limits of requests, whose units last for the benchmark.
func withEverything() site.Sale {
	return site.Sale{
		Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}, PermitRatio: 10, PurchaseLimit: 1, SKULimit: 1,
		Limits: burstLimits,
	}
}

// BenchmarkActivities places 9,000 orders over 64 connections in 300 activities, and compares that with as many orders
// in one activity of the same program, which has all 301 activities in both cases. Each order is the first one of its
// buyer, who took a path and a permit shortly before; all limits are on, and the movers run. It reports what an order
// costs until it is accepted, and until SQL has it, and how many calls of scripts Redis gets and transactions SQL
// commits for it until then.
func BenchmarkActivities(b *testing.B) {
	skipLarge(b)
	p := startProgram(b, fmt.Sprint("ONRUSH_LANES=", mostLanes))
	one := p.inspector.Open(b, withEverything())
	activities := make([]string, manyActivities)
	for i := range activities {
		activities[i] = p.inspector.Open(b, withEverything())
	}
	inMany := newcomers{program: p, in: func(i int) string { return activities[i%manyActivities] }}
	inOne := newcomers{program: p, in: always(one), of: "one-"}
	inMany.warm(b)
	inOne.warm(b)
	var speeds turns
	for b.Loop() {
		speeds.take(func() float64 { return inMany.place(b) }, func() float64 { return inOne.place(b) })
	}
	inMany.report(b)
	inOne.report(b)
	speeds.report(b, "orders/s", "in-one/s", leastActivities)
}

// newcomers are buyers of whom each orders once, in the activity of their number.
type newcomers struct {
	*program

	in func(i int) string
	of string // before the names of the reported figures

	buyers         int
	placed, stored used
	orders, calls  float64
	commits        float64
}

// place places the orders of the next buyers, waits until SQL has them, and returns how many were accepted per second.
func (c *newcomers) place(b *testing.B) float64 {
	b.Helper()
	first := c.buyers
	c.buyers += activitiesOrders
	submits := c.submits(b, first, activitiesOrders, c.in)
	c.ask(b, c.addr(), asks(submits, func(i int) string { return c.in(first + i) }))
	calls, commits, before := c.scriptCalls(b), c.commitsSoFar(b), c.uses(b)
	speed := c.program.place(b, submits, activitiesOrders)
	c.placed.since(before, c.uses(b))
	c.drain(b)
	c.stored.since(before, c.uses(b))
	c.calls += c.scriptCalls(b) - calls
	c.commits += c.commitsSoFar(b) - commits
	c.orders += activitiesOrders
	return speed
}

// warm places orders that don't count.
func (c *newcomers) warm(b *testing.B) {
	b.Helper()
	c.place(b)
	*c = newcomers{program: c.program, in: c.in, of: c.of, buyers: c.buyers}
}

func (c *newcomers) report(b *testing.B) {
	b.Helper()
	c.placed.report(b, c.orders, c.of)
	c.stored.report(b, c.orders, c.of+"stored-")
	b.ReportMetric(c.calls/c.orders, c.of+"calls/order")
	b.ReportMetric(c.commits/c.orders, c.of+"commits/order")
}

// commitsSoFar returns how many transactions SQL has committed.
func (p *program) commitsSoFar(b *testing.B) (commits float64) {
	b.Helper()
	var name string
	row := p.stores.DB.Write.QueryRowContext(b.Context(), `SHOW GLOBAL STATUS LIKE 'Com_commit'`)
	require.NoError(b, row.Scan(&name, &commits))
	return commits
}

// scriptCalls returns how many scripts Redis has run.
func (p *program) scriptCalls(b *testing.B) (calls float64) {
	b.Helper()
	info, err := p.stores.Redis.InfoMap(b.Context(), "commandstats").Result()
	require.NoError(b, err)
	for _, command := range []string{"cmdstat_eval", "cmdstat_evalsha", "cmdstat_fcall"} {
		var n float64
		if _, err := fmt.Sscanf(info["Commandstats"][command], "calls=%f", &n); err == nil {
			calls += n
		}
	}
	return calls
}
