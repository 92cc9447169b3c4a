package rounds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"onrush/test/kit"
)

// Lasts is for how long faults begin in a round, since its sale was published.
const Lasts = early + over

const (
	early = 2 * time.Second // the first of the crowd come, before the sale starts
	over  = 3 * time.Second // the crowd comes
)

// Plan is what happens in a round. It follows from its seed.
type Plan struct {
	Seed uint64
	// Replicas is how many replicas of Redis must have an order before it is answered: 1 in rounds that may lose what
	// only the primary has.
	Replicas int
	Faults   []Fault // by their begin
	// Changes are what operators change, by their begin: in rounds of change.
	Changes []Change
}

// Fault happens to a target for a time.
type Fault struct {
	Kind     Kind
	Target   Target
	At       time.Duration // after the sale was published
	For      time.Duration
	Distance time.Duration // of Slow: added to a round trip; of Clock: the step
}

// Kind is a kind of faults.
type Kind string

// The kinds of faults.
const (
	Kill       Kind = "kill"        // kill -9, and a start after a while
	Stop       Kind = "stop"        // SIGTERM, kill -9 where that takes long, and a start after a while
	Freeze     Kind = "freeze"      // SIGSTOP, and SIGCONT after a while
	Cut        Kind = "cut"         // connections break, and new ones are refused
	Slow       Kind = "slow"        // each round trip takes longer
	HalfOpen   Kind = "half_open"   // the server has lost its connections, and the client doesn't know
	Clock      Kind = "clock"       // an instance's clock steps, and steps back after a while
	FullMemory Kind = "full_memory" // Redis has reached maxmemory
	FullDisk   Kind = "full_disk"   // no file can grow
	ReadOnly   Kind = "read_only"   // SQL is read-only
	Failover   Kind = "failover"    // a replica of Redis that is behind replaces the primary, which was killed
	Switch     Kind = "switch"      // the same with a primary that goes on for a while, also for its clients
	Locks      Kind = "locks"       // all locks in Redis expire, again and again
)

// Target is what a fault happens to.
type Target string

// The targets of faults: processes, and the connections of each instance to each store.
const (
	A       Target = "a" // an instance
	B       Target = "b" // the other one
	Redis   Target = "redis"
	Replica Target = "replica" // of Redis
	SQL     Target = "sql"
	ARedis  Target = "a-redis"
	BRedis  Target = "b-redis"
	ASQL    Target = "a-sql"
	BSQL    Target = "b-sql"
)

// Kinds are all kinds, in the order of the drawing, with their targets and the bounds of their duration.
var Kinds = []struct {
	Kind        Kind
	Targets     []Target
	Least, Most time.Duration
	Replicas    int // that its rounds need
}{
	{Kill, []Target{A, B, Redis, SQL}, 50 * time.Millisecond, time.Second, 0},
	{Kill, []Target{Replica}, 50 * time.Millisecond, time.Second, 1},
	{Stop, []Target{A, B}, 50 * time.Millisecond, time.Second, 0},
	{Freeze, []Target{A, B, Redis, SQL}, 50 * time.Millisecond, 2 * time.Second, 0},
	{Freeze, []Target{Replica}, 50 * time.Millisecond, 2 * time.Second, 1},
	{Cut, []Target{ARedis, BRedis, ASQL, BSQL}, 10 * time.Millisecond, 2 * time.Second, 0},
	{Slow, []Target{ARedis, BRedis, ASQL, BSQL}, 100 * time.Millisecond, 2 * time.Second, 0},
	{HalfOpen, []Target{ARedis, BRedis, ASQL, BSQL}, time.Millisecond, time.Millisecond, 0},
	{Clock, []Target{A, B}, 100 * time.Millisecond, 2 * time.Second, 0},
	{FullMemory, []Target{Redis}, 50 * time.Millisecond, 2 * time.Second, 0},
	{FullDisk, []Target{Redis, SQL}, 50 * time.Millisecond, 2 * time.Second, 0},
	{ReadOnly, []Target{SQL}, 50 * time.Millisecond, 2 * time.Second, 0},
	{Locks, []Target{Redis}, 500 * time.Millisecond, 3 * time.Second, 0},
	{Failover, []Target{Redis}, 200 * time.Millisecond, 2 * time.Second, 1},
	{Switch, []Target{Redis}, 200 * time.Millisecond, 2 * time.Second, 1},
}

const (
	leastFaults, mostFaults = 3, 7
	maxDistance             = 300 * time.Millisecond // of Slow
	maxStep                 = 4 * time.Minute        // of Clock; a signature of a gateway holds for 5
)

// Draw returns the plan of a seed.
func Draw(seed uint64) Plan {
	p := drawFaults(seed)
	p.killAtTheDraw()
	return p
}

// wishes reports whether the crowd of the round plays the scenario wishes.
func (p *Plan) wishes() bool { return p.Seed%2 == 0 }

// killAtTheDraw adds a kill of an instance while the entries of the draw are closed and units set aside are ordered, in
// rounds that have these, unless the instance has a fault then.
func (p *Plan) killAtTheDraw() {
	const first, last, most = Lasts - 700*time.Millisecond, Lasts, 500 * time.Millisecond
	random := kit.Rand(p.Seed + 1)
	f := Fault{
		Kind: Kill, Target: []Target{A, B}[random.IntN(2)], For: time.Duration(random.Int64N(int64(most)) + 1),
		At: (first + time.Duration(random.Int64N(int64(last-first)))).Truncate(time.Millisecond),
	}
	if p.wishes() && p.allows(f) {
		p.Faults = append(p.Faults, f)
		slices.SortStableFunc(p.Faults, func(a, b Fault) int { return int(a.At - b.At) })
	}
}

func drawFaults(seed uint64) Plan {
	random := kit.Rand(seed)
	p := Plan{Seed: seed, Replicas: random.IntN(2)}
	for range leastFaults + random.IntN(mostFaults-leastFaults+1) {
		for { // there is a kind that several faults may have at once on different targets
			if f := p.draw(random); p.allows(f) {
				p.Faults = append(p.Faults, f)
				break
			}
		}
	}
	slices.SortStableFunc(p.Faults, func(a, b Fault) int { return int(a.At - b.At) })
	return p
}

// draw returns any fault.
func (p *Plan) draw(random *rand.Rand) Fault {
	k := Kinds[random.IntN(len(Kinds))]
	for k.Replicas > p.Replicas {
		k = Kinds[random.IntN(len(Kinds))]
	}
	upTo := func(most time.Duration) time.Duration {
		return time.Duration(random.Int64N(int64(most/time.Millisecond))+1) * time.Millisecond
	}
	f := Fault{
		Kind: k.Kind, Target: k.Targets[random.IntN(len(k.Targets))], At: upTo(Lasts),
		For: k.Least + upTo(k.Most-k.Least+time.Millisecond) - time.Millisecond,
	}
	switch f.Kind {
	case Slow:
		f.Distance = upTo(maxDistance)
	case Clock:
		f.Distance = time.Second + upTo(maxStep).Truncate(time.Second)
	default:
	}
	return f
}

// allows reports whether a fault has its target for itself.
func (p *Plan) allows(f Fault) bool {
	for _, other := range p.Faults {
		overlap := f.At <= other.At+other.For && other.At <= f.At+f.For
		claimed := func(c string) bool { return slices.Contains(other.claims(), c) }
		if overlap && slices.ContainsFunc(f.claims(), claimed) {
			return false
		}
	}
	return true
}

// claims names what no other fault may happen to at the same time.
func (f Fault) claims() []string {
	switch f.Kind {
	case Failover, Switch:
		return []string{string(Redis), string(Replica)}
	case Clock, Locks:
		return []string{string(f.Kind) + " " + string(f.Target)} // not the process
	default:
		return []string{string(f.Target)}
	}
}

// loses reports whether a primary of Redis may be replaced by one that lacks what no client was answered.
func (p *Plan) loses() bool {
	return slices.ContainsFunc(p.Faults, func(f Fault) bool { return f.Kind == Failover || f.Kind == Switch }) ||
		slices.ContainsFunc(p.Changes, Change.failover)
}

// String is one line: the seed, the replicas, and each fault with its begin, duration and distance.
func (p Plan) String() string {
	texts := []string{fmt.Sprintf("seed %d, %d replicas", p.Seed, p.Replicas)}
	for _, f := range p.Faults {
		text := fmt.Sprintf("%s %s at %s for %s", f.Kind, f.Target, f.At, f.For)
		if f.Distance != 0 {
			text += fmt.Sprintf(" by %s", f.Distance)
		}
		texts = append(texts, text)
	}
	for _, c := range p.Changes {
		texts = append(texts, c.String())
	}
	return strings.Join(texts, "; ")
}
