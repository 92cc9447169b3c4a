package simulate

import (
	"errors"
	"math"
	"time"
)

// Config is a sale and what serves it.
type Config struct {
	// Visitors is how many come. 80 % of them come evenly within Over; the others later, fewer and fewer.
	Visitors int
	// Over is how long the spike of arrivals lasts.
	Over time.Duration
	// Reads is how many requests for the page a visitor makes on average before it acts, 1 or more.
	Reads float64
	// Units is how many units all sales have; each buyer buys one.
	Units int
	// Sales is how many sales run at once, each with a lane of its own and the same part of visitors and units.
	Sales int
	// PathsPerSecond is how many visitors the waiting room of each sale admits. 0: no waiting room.
	PathsPerSecond float64
	// Instances have Processors each.
	Instances, Processors int
	// Redis is the number of nodes, each with a processor; a lane is on one of them.
	Redis int
	// SQL is the number of processors of the SQL server.
	SQL int
	// Think is the mean time between two requests of a visitor, spread evenly from 0 to twice as much. At most 2 s.
	Think time.Duration
	// Until ends the simulation: those who wait then are counted as waiting.
	Until time.Duration
	Seed  uint64
	Costs Costs
}

// Costs are the times that requests take.
type Costs struct {
	// Of an instance, for each request: Read shows the page's sale, with a token that the instance has not seen; Poll
	// asks for a place in the waiting room, Join takes one; Path and Submit are accepted ones; Refusal answers from
	// memory. Move is for each order that is moved.
	Read, Poll, Join, Path, Submit, Refusal, Move time.Duration
	// Of a node of Redis: a script call of a batch, each order in it, each place in the waiting room, and each order
	// that is moved.
	RedisCall, RedisOrder, RedisJoin, RedisMove time.Duration
	// Of a processor of SQL: a transaction, and each order in it.
	SQLBatch, SQLOrder time.Duration
	// RoundTrip is what the network adds to a call.
	RoundTrip time.Duration
}

// MeasuredCosts are the costs of buyers who are new, in a sale with permits and limits. scaling.md names the
// source of each.
var MeasuredCosts = Costs{
	Read: 19 * time.Microsecond, Poll: 20 * time.Microsecond, Join: 25 * time.Microsecond,
	Path: 22 * time.Microsecond, Submit: 60 * time.Microsecond, Refusal: 20 * time.Microsecond,
	Move:      12 * time.Microsecond,
	RedisCall: 50 * time.Microsecond, RedisOrder: 30 * time.Microsecond, RedisJoin: 50 * time.Microsecond,
	RedisMove: 5 * time.Microsecond,
	SQLBatch:  time.Millisecond, SQLOrder: 71 * time.Microsecond,
	RoundTrip: 200 * time.Microsecond,
}

// maxVisitors bounds the time of a simulation.
const maxVisitors = 1_000_000_000

func (c *Config) check() error {
	switch {
	case c.Visitors < 1 || c.Visitors > maxVisitors:
		return errors.New("visitors must be 1 to 1,000,000,000")
	case math.IsNaN(c.PathsPerSecond+c.Reads) || math.IsInf(c.PathsPerSecond, 0):
		return errors.New("reads and paths per second must be numbers")
	case c.Units < 0 || c.Over <= 0 || c.Until <= 0 || c.PathsPerSecond < 0:
		return errors.New("times must be above 0, units and paths per second 0 or more")
	case c.Reads < 1 || c.Reads > 1000:
		return errors.New("reads must be 1 to 1000")
	case c.Think < 0 || c.Think > 2*time.Second:
		return errors.New("the time to think must be 0s to 2s")
	case c.Sales < 1 || c.Sales > 1023:
		return errors.New("sales must be 1 to 1023, the number of lanes")
	case c.Instances < 1 || c.Processors < 1 || c.Redis < 1 || c.SQL < 1:
		return errors.New("instances, their processors, nodes of Redis and processors of SQL must be 1 or more")
	case c.Instances > 10_000 || c.Processors > 256 || c.Redis > 1023 || c.SQL > 256:
		return errors.New("at most 10,000 instances, 1023 nodes of Redis, and 256 processors of a server")
	}
	return nil
}
