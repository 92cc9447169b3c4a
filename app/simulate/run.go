package simulate

import "math/rand/v2"

const (
	// patience is how long a client waits for an answer, in s.
	patience = 10.0
	// retryAfter is what a client waits after a 503, in s, as the answer says; up to as much again is added.
	retryAfter = 1.0
	// tickSeconds is how often movers look at their lanes, and polls of the waiting room are added up.
	tickSeconds = 0.05
)

// simulation is one run. All times are in s from the start of the sale.
type simulation struct {
	cfg    Config
	costs  costs
	random *rand.Rand

	arrivals *arrivals
	calendar calendar
	room     room
	events   events
	tick     float64

	instances []station
	turn      int // of the instances
	lanes     []lane
	gathers   []gather // by instance and lane
	nodes     []station
	sql       station

	ofInstances, ofRedis, ofSQL usage
	counts
}

// costs are Costs in s.
type costs struct {
	read, poll, join, path, submit, refusal, move float64
	redisCall, redisOrder, redisJoin, redisMove   float64
	sqlBatch, sqlOrder, roundTrip                 float64
}

func inSeconds(c *Costs) costs {
	return costs{
		read: c.Read.Seconds(), poll: c.Poll.Seconds(), join: c.Join.Seconds(), path: c.Path.Seconds(),
		submit: c.Submit.Seconds(), refusal: c.Refusal.Seconds(), move: c.Move.Seconds(),
		redisCall: c.RedisCall.Seconds(), redisOrder: c.RedisOrder.Seconds(), redisJoin: c.RedisJoin.Seconds(),
		redisMove: c.RedisMove.Seconds(),
		sqlBatch:  c.SQLBatch.Seconds(), sqlOrder: c.SQLOrder.Seconds(), roundTrip: c.RoundTrip.Seconds(),
	}
}

// Run simulates a sale until nobody waits and SQL has every order, or until Config.Until.
func Run(cfg Config) (*Result, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := newSimulation(cfg)
	s.run(cfg.Until.Seconds())
	return s.result(), nil
}

func newSimulation(cfg Config) *simulation {
	random := newRandom(cfg.Seed)
	s := &simulation{
		cfg: cfg, costs: inSeconds(&cfg.Costs), random: random, counts: newCounts(),
		arrivals: newArrivals(cfg.Visitors, cfg.Over.Seconds(), random),
		room:     room{rate: cfg.PathsPerSecond * float64(cfg.Sales)},
		lanes:    make([]lane, cfg.Sales),
		gathers:  make([]gather, cfg.Instances*cfg.Sales),
	}
	for i := range s.lanes {
		s.lanes[i].units = cfg.Units / cfg.Sales
		if i < cfg.Units%cfg.Sales {
			s.lanes[i].units++
		}
		s.lanes[i].soldOut = never
		if s.lanes[i].units == 0 {
			s.lanes[i].soldOut = 0
		}
	}
	for range cfg.Instances {
		s.instances = append(s.instances, newStation(cfg.Processors, &s.ofInstances))
	}
	for range min(cfg.Redis, cfg.Sales) { // a node without a lane of these sales does nothing
		s.nodes = append(s.nodes, newStation(1, &s.ofRedis))
	}
	s.sql = newStation(cfg.SQL, &s.ofSQL)
	return s
}

// run takes one event after the other, the earliest first.
func (s *simulation) run(until float64) {
	for {
		arrival, admission, due, event := s.arrivals.at, s.room.at(), s.calendar.at(), s.events.at()
		now := min(arrival, admission, due, event)
		if now == never && s.room.leaving == 0 && !s.isQueued() {
			return
		}
		if now = min(now, s.tick); now > until {
			return
		}
		switch now {
		case s.tick:
			s.tick += tickSeconds
			s.pollRoom(now)
			s.wakeMovers(now)
		case arrival:
			s.arrivals.next()
			s.read(now)
		case admission:
			s.room.admit(now)
			s.path(now)
		case due:
			switch next := s.calendar.next(); next {
			case toRead:
				s.read(now)
			case toJoin:
				s.join(now, s.instance())
			case toPath:
				s.path(now)
			default:
				s.submit(now, next)
			}
		default:
			s.happen(s.events.pop())
		}
	}
}

// happen takes an event of the heap.
func (s *simulation) happen(e event) {
	switch e.kind {
	case submitReady:
		s.enter(e.at, int(e.gather), submitted{at: e.since, ready: e.at, try: e.try})
	case callDone:
		s.settle(e.at, int(e.gather), int(e.n))
	case callLate:
		s.giveUp(e.at, int(e.gather), int(e.n))
	case batchRead:
		done := s.sql.serve(e.at, s.costs.sqlBatch+float64(e.n)*s.costs.sqlOrder)
		s.events.push(event{at: done, kind: batchStored, gather: e.gather, n: e.n})
	case batchStored:
		s.stored(e.at, int(e.gather), int(e.n))
	}
}

// instance returns the one that a request reaches: they take turns.
func (s *simulation) instance() int {
	s.turn = (s.turn + 1) % len(s.instances)
	return s.turn
}

// request lets an instance serve a request, whose time varies around its cost. It reports false if the client has gone
// before its turn.
func (s *simulation) request(at float64, instance int, cost float64) (done float64, served bool) {
	s.requested(at)
	in := &s.instances[instance]
	if in.wait(at) > patience {
		s.refused["timed_out"]++
		return 0, false
	}
	return in.serve(at, cost*s.random.ExpFloat64()), true
}

// later plans what a visitor does after thinking.
func (s *simulation) later(next stage, at float64) {
	s.calendar.add(next, at+2*s.cfg.Think.Seconds()*s.random.Float64())
}

// lane draws the lane of a visitor, since all sales have as many.
func (s *simulation) lane() int {
	if len(s.lanes) == 1 {
		return 0
	}
	return s.random.IntN(len(s.lanes))
}

// node returns the node of Redis that has a lane.
func (s *simulation) node(lane int) *station { return &s.nodes[lane%len(s.nodes)] }
