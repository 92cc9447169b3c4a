package rounds

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"onrush/test/kit"
)

// Change is something that operators do to the program, its settings or its stores while it runs. It has two halves,
// such as the restart of one instance and of the other; an instance may be killed between them.
type Change struct {
	Kind ChangeKind
	At   time.Duration // after the sale was published
	For  time.Duration // between the halves
	Kill Target        // the instance that is killed between the halves; "" for none
	Seed uint64        // of what else is random
}

// ChangeKind is a kind of changes.
type ChangeKind string

// The kinds of changes.
const (
	RotatePath    ChangeKind = "rotate_path"    // ONRUSH_PATH_SECRET, in the steps of docs/operating/secrets.md
	RotateJWT     ChangeKind = "rotate_jwt"     // ONRUSH_JWT_SECRET
	RotateSandbox ChangeKind = "rotate_sandbox" // ONRUSH_SANDBOX_SECRET
	AddLanes      ChangeKind = "lanes"          // one instance gets more lanes; the other one keeps its number
	Before        ChangeKind = "before"         // an instance is of the build before for a while
	Leases        ChangeKind = "leases"         // a failover after an instance leased numbers that the replica lacks
	Cancelled     ChangeKind = "cancelled"      // a failover after orders were cancelled, which the replica lacks
	Row           ChangeKind = "row"            // a row of SQL is locked
	Price         ChangeKind = "price"          // of ordinary goods
	Gates         ChangeKind = "gates"          // of the sale: its limits and waiting room
	SalePrice     ChangeKind = "sale_price"     // the price and the purchase limit of a sale that has not started
	Points        ChangeKind = "points"         // a region is served by another stock point
	Archive       ChangeKind = "archive"        // old orders move to the archive
	Draft         ChangeKind = "draft"          // the currency of goods that a draft sells
	StopSales     ChangeKind = "stop_sales"     // all sales are stopped, and go on
	Erase         ChangeKind = "erase"          // a buyer is erased
	Revoke        ChangeKind = "revoke"         // an operator's key is revoked
)

// ChangeKinds are all kinds, in the order of the drawing, with the bounds of the time between their halves.
var ChangeKinds = []struct {
	Kind        ChangeKind
	Least, Most time.Duration
	Replicas    int // that a round has for it
}{
	{RotatePath, 50 * time.Millisecond, 400 * time.Millisecond, 0},
	{RotateJWT, 50 * time.Millisecond, 400 * time.Millisecond, 0},
	{RotateSandbox, 50 * time.Millisecond, 400 * time.Millisecond, 0},
	{AddLanes, 50 * time.Millisecond, time.Second, 0},
	{Before, time.Second, 3 * time.Second, 0},
	{Leases, 200 * time.Millisecond, time.Second, 1},
	{Cancelled, 200 * time.Millisecond, time.Second, 1},
	{Row, time.Second, 4 * time.Second, 0},
	{Price, 50 * time.Millisecond, time.Second, 0},
	{Gates, 50 * time.Millisecond, time.Second, 0},
	{SalePrice, 50 * time.Millisecond, 500 * time.Millisecond, 0},
	{Points, 50 * time.Millisecond, time.Second, 0},
	{Archive, 50 * time.Millisecond, time.Second, 0},
	{Draft, 50 * time.Millisecond, 500 * time.Millisecond, 0},
	{StopSales, 1500 * time.Millisecond, 3 * time.Second, 0},
	{Erase, 50 * time.Millisecond, time.Second, 0},
	{Revoke, 50 * time.Millisecond, time.Second, 0},
}

const (
	leastChanges, mostChanges = 2, 4
	changeFaults              = 3 // at most
)

// DrawChanges returns the plan of a seed for a round of change: some changes, and fewer faults than in a round of
// faults.
func DrawChanges(seed uint64) Plan {
	p := drawFaults(seed)
	random := kit.Rand(^seed) // other numbers than the faults have
	p.Faults = p.Faults[:min(len(p.Faults), random.IntN(changeFaults+1))]
	p.killAtTheDraw()
	for range leastChanges + random.IntN(mostChanges-leastChanges+1) {
		for {
			if c := p.drawChange(random); !slices.ContainsFunc(p.Changes, c.excludes) {
				p.Changes = append(p.Changes, c)
				break
			}
		}
	}
	slices.SortStableFunc(p.Changes, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
	return p
}

func (p *Plan) drawChange(random *rand.Rand) Change {
	k := ChangeKinds[random.IntN(len(ChangeKinds))]
	for k.Replicas > p.Replicas {
		k = ChangeKinds[random.IntN(len(ChangeKinds))]
	}
	upTo := func(most time.Duration) time.Duration {
		return time.Duration(random.Int64N(int64(most/time.Millisecond))+1) * time.Millisecond
	}
	c := Change{Kind: k.Kind, At: upTo(Lasts), For: k.Least + upTo(k.Most-k.Least), Seed: random.Uint64()}
	if random.IntN(2) == 0 {
		c.Kill = []Target{A, B}[random.IntN(2)]
	}
	return c
}

// excludes reports whether two changes can't be in one round.
func (c Change) excludes(other Change) bool {
	restarts := func(c Change) bool {
		return slices.Contains([]ChangeKind{RotatePath, RotateJWT, RotateSandbox, Before}, c.Kind)
	}
	return c.Kind == other.Kind || restarts(c) && restarts(other) || c.failover() && other.failover()
}

func (c Change) failover() bool { return c.Kind == Leases || c.Kind == Cancelled }

func (c Change) String() string {
	text := fmt.Sprintf("%s at %s for %s", c.Kind, c.At, c.For)
	if c.Kill != "" {
		text += fmt.Sprintf(" with a kill of %s", c.Kill)
	}
	return text
}
