package simulate

const (
	// soldOutFor is how old the count may be that an instance answers "sold out" from, in s.
	soldOutFor = 0.02
	// joinWithin is how long a node of Redis may be busy, in s, so that places are still taken: instances have only so
	// many connections.
	joinWithin = 0.05
	// pollEvery is after which time a visitor in the waiting room asks again, in s: a minute and a spread of 5 % on
	// average, or when it is admitted, if that is earlier.
	pollEvery = 63.0
)

// room is the waiting room: counts of its visitors, who are admitted in the order in which they came.
type room struct {
	rate     float64 // visitors per second; 0: none
	joined   int
	admitted int
	last     float64 // when the last one was admitted
	leaving  int     // those who are going to ask once more, and learn that everything is sold out
	perTick  int     // of leaving
}

func (r *room) waiting() int { return r.joined - r.admitted }

func (r *room) join(now float64) {
	if r.joined++; r.waiting() == 1 { // nobody was admitted for a while: that makes nobody faster
		r.last = max(r.last, now-1/r.rate)
	}
}

func (r *room) admit(now float64) {
	r.admitted++
	r.last = now
}

// at returns when the next visitor is admitted, never if nobody waits.
func (r *room) at() float64 {
	if r.waiting() == 0 {
		return never
	}
	return r.last + 1/r.rate
}

// read shows the sale to a visitor, who reads it again, or goes to the waiting room or for a path.
func (s *simulation) read(now float64) {
	in := s.instance()
	done, served := s.request(now, in, s.costs.read)
	switch {
	case !served:
	case s.random.Float64()*s.cfg.Reads >= 1:
		s.later(toRead, done)
	case s.room.rate == 0:
		s.later(toPath, done)
	case s.isSoldOut(now):
		s.refused["sold_out"]++
	default:
		s.join(done, in)
	}
}

// join gives a visitor a place in the waiting room, unless too many wait for Redis: then it tries again.
func (s *simulation) join(now float64, in int) {
	if s.isSoldOut(now) {
		s.refused["sold_out"]++
		return
	}
	s.requested(now)
	s.instances[in].serve(now, s.costs.join)
	if node := s.node(s.lane()); node.wait(now) <= joinWithin {
		node.serve(now, s.costs.redisJoin)
		s.room.join(now)
		return
	}
	s.calendar.add(toJoin, now+retryAfter*(1+s.random.Float64()))
}

// path gives a visitor a path, unless the sale is sold out.
func (s *simulation) path(now float64) {
	if s.lanes[s.lane()].soldOut+soldOutFor < now {
		if _, served := s.request(now, s.instance(), s.costs.refusal); served {
			s.refused["sold_out"]++
		}
		return
	}
	if done, served := s.request(now, s.instance(), s.costs.path); served {
		s.paths++
		s.later(toSubmit, done)
	}
}

// submit sends the order of a visitor, who has a path.
func (s *simulation) submit(now float64, try stage) {
	in, lane := s.instance(), s.lane()
	if s.lanes[lane].soldOut+soldOutFor < now {
		if _, served := s.request(now, in, s.costs.refusal); served {
			s.refused["sold_out"]++
		}
		return
	}
	if done, served := s.request(now, in, s.costs.submit); served {
		s.events.push(event{
			at: done, since: now, kind: submitReady, try: try,
			gather: int32(in*len(s.lanes) + lane), //nolint:gosec // at most 10,000 × 1023
		})
	}
}

// overloaded answers a submit with 503; its client tries again after what the answer says.
func (s *simulation) overloaded(now float64, try stage) {
	if try == toSubmitLast {
		s.refused["overloaded"]++
		return
	}
	s.calendar.add(try+1, now+retryAfter*(1+s.random.Float64()))
}

// pollRoom adds the polls of those who wait, as one piece of work for each instance. Once everything is sold out, they
// learn it with their next poll.
func (s *simulation) pollRoom(now float64) {
	r := &s.room
	if r.rate == 0 {
		return
	}
	if r.waiting() > 0 && s.isSoldOut(now) {
		r.leaving += r.waiting()
		r.joined = r.admitted
		r.perTick = int(float64(r.leaving)*tickSeconds/pollEvery) + 1
	}
	gone := min(r.perTick, r.leaving)
	r.leaving -= gone
	s.refused["sold_out"] += gone
	polls := float64(gone) + float64(r.waiting())*tickSeconds/pollEvery
	s.polled(now, polls)
	for i := range s.instances {
		s.instances[i].spread(now, polls*s.costs.poll/float64(len(s.instances)))
	}
}

func (s *simulation) isSoldOut(now float64) bool {
	for i := range s.lanes {
		if s.lanes[i].soldOut+soldOutFor >= now {
			return false
		}
	}
	return true
}
