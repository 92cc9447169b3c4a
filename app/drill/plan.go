package drill

import (
	"math"
	"math/rand/v2"
	"time"
)

// Submit is how a visitor submits an order.
type Submit string

// How orders are submitted.
const (
	Once    Submit = "once"
	Double  Submit = "double"   // two clicks: twice at the same time, with one key
	TwoTabs Submit = "two_tabs" // two orders at the same time, with a path and a key each
	Cut     Submit = "cut"      // the connection is cut before the answer, and the same key is sent again
)

// Then is what a visitor does with an accepted order.
type Then string

// What becomes of orders.
const (
	Abandon   Then = "abandon" // it never pays
	Cancel    Then = "cancel"
	Pay       Then = "pay"
	PayTwice  Then = "pay-twice"    // with two transactions
	PayWrong  Then = "wrong-amount" // one minor unit too much
	PayLate   Then = "pay-late"     // after the deadline
	PayQuiet  Then = "pay-unheard"  // its notification is lost
	PayFails  Then = "fail"         // then it pays
	PayRefund Then = "refund"       // it pays, and an operator refunds a part, then the rest, each with two clicks
	PayCancel Then = "pay-cancel"   // it pays and cancels at the same time
)

// needsTime reports whether it is known only at the deadline of a payment what becomes of the order.
func (t Then) needsTime() bool { return t == PayLate || t == PayQuiet }

// Intent is an order that a visitor wants.
type Intent struct {
	Submit  Submit
	Confirm bool // the order is confirmed first
	Stream  bool // its task is followed by a stream, not polled
	Reuse   bool // the path is tried again after the order
	Then    Then
	Think   time.Duration // before it is submitted, and before Then
}

// Visitor is one visitor of a plan.
type Visitor struct {
	Number int
	Sale   int           // the index of the sale
	At     time.Duration // since the start of the sale; negative: before it
	Choice uint64        // picks its goods
	Orders []Intent
}

// Plan is what the visitors of a drill intend to do.
type Plan struct {
	Visitors []Visitor // by their arrival
	// Starts are when the sales start, since the start of the drill.
	Starts []time.Duration
}

// early is how long before the start of a sale its first visitors come.
const early = 2 * time.Second

// newPlan draws a plan from the seed of a drill. Equal configurations have equal plans.
func newPlan(c *Config) *Plan {
	random := rand.New(rand.NewPCG(c.Seed, 0)) //nolint:gosec // a plan is repeatable
	p := &Plan{}
	start, number := early+time.Second, 0
	for sale, part := range c.parts() {
		p.Starts = append(p.Starts, start)
		for range part.visitors {
			v := Visitor{
				Number: number, Sale: sale, At: arrival(c, random), Choice: random.Uint64(), Orders: intents(random),
			}
			if len(v.Orders) > ownLimit { // those who want more than they may are the first, and in haste
				v.At = -time.Duration(random.Float64() * float64(early))
				for i := range v.Orders {
					v.Orders[i].Submit, v.Orders[i].Confirm, v.Orders[i].Think = Once, false, 0
				}
				v.Orders[ownLimit-1].Submit = TwoTabs // one of the two reaches the limit, and the other meets it
			}
			if c.Scenario == Wishes && isOutsider(v) { // of goods that are sold out nobody is told for whom they are
				v.At = min(v.At, 0)
			}
			p.Visitors = append(p.Visitors, v)
			number++
		}
		start += c.Over + early
	}
	return p
}

// arrival draws when a visitor comes. In a rush, a twentieth comes before the start, 70 % in the first tenth of the
// time, and the others as an exponential tail.
func arrival(c *Config, random *rand.Rand) time.Duration {
	over := float64(c.Over)
	if c.Scenario == Trickle || c.Scenario == Soak {
		return time.Duration(random.Float64() * over)
	}
	switch share := random.Float64(); {
	case share < 0.05:
		return -time.Duration(random.Float64() * float64(early))
	case share < 0.75:
		return time.Duration(random.Float64() * over / 10)
	}
	tail := -math.Log(1-random.Float64()) * over / 4
	return time.Duration(over/10 + math.Mod(tail, over*9/10))
}

// intents draws what a visitor wants: most want one order, and one in eight more than a limit of two allows.
func intents(random *rand.Rand) []Intent {
	n := 1
	if random.IntN(8) == 0 {
		n = ownLimit + 1
	}
	all := make([]Intent, n)
	for i := range all {
		all[i] = Intent{
			Submit:  pick(random, submits),
			Confirm: random.IntN(2) == 0, Stream: random.IntN(10) == 0, Reuse: random.IntN(8) == 0,
			Then:  pick(random, thens),
			Think: time.Duration(random.Float64() * float64(500*time.Millisecond)),
		}
	}
	return all
}

// share is a part of a whole, in percent.
type share[T any] struct {
	percent int
	what    T
}

var (
	submits = []share[Submit]{{76, Once}, {10, Double}, {6, TwoTabs}, {8, Cut}}
	thens   = []share[Then]{
		{25, Abandon},
		{8, Cancel},
		{40, Pay},
		{4, PayTwice},
		{4, PayWrong},
		{4, PayLate},
		{4, PayQuiet},
		{3, PayFails},
		{4, PayRefund},
		{4, PayCancel},
	}
)

func pick[T any](random *rand.Rand, all []share[T]) T {
	n := random.IntN(100)
	for _, s := range all {
		if n < s.percent {
			return s.what
		}
		n -= s.percent
	}
	return all[len(all)-1].what
}
