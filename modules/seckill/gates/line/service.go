package line

import (
	"context"
	"sync/atomic"
	"time"

	"onrush/lua"
	"onrush/modules/bounded"
	"onrush/modules/clock"
	"onrush/modules/gather"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/segments"
)

// redisWithin bounds a call of Redis.
const redisWithin = 500 * time.Millisecond

// Service implements the waiting rooms of all activities.
type Service struct {
	cfg       Config
	sales     Sales
	lua       *lua.Scripts
	clock     *clock.Clock
	seal      sealer
	positions *bounded.Map[string, int64] // positions of early places after the start; lost: there is none
	// The users of an activity who join, or who ask for their positions, at the same time share a call of Redis.
	joins, ranks *gather.Group[string, request, lua.LinePlace]

	failed atomic.Pointer[time.Time] // when Redis last failed to return a position
}

// NewService checks cfg and returns a Service.
func NewService(cfg Config, d Deps) (*Service, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := &Service{
		cfg: cfg, sales: d.Sales, lua: d.Lua, clock: d.Clock, seal: newSealer(cfg.Secrets),
		positions: bounded.New[string, int64](maxPositions),
	}
	s.joins, s.ranks = calls(s.joinAll), calls(s.rankAll)
	return s, nil
}

// Place returns the state of a user's place; the user is in the segments in. Only an early place that is asked for the
// first time after the start needs Redis; its answer has a new place, which has the position.
func (s *Service) Place(ctx context.Context, user string, in segments.Set, sealed string) (*Answer, error) {
	p, ok := s.seal.open(user, sealed)
	if !ok {
		return nil, errInvalid
	}
	sale, err := s.sales.Sale(ctx, p.activity)
	if err != nil {
		return nil, err
	}
	if err := admit.ToSegments(sale.Segments, in); err != nil {
		return nil, err
	}
	chances, err := s.sales.Chances(ctx, p.activity)
	if err != nil {
		return nil, err
	}
	if !sale.Room.On() {
		return &Answer{Status: Admitted}, nil
	}
	if p.position == early && s.clock.NowMS() >= sale.StartsMS {
		if p.position, err = s.startedPosition(ctx, &sale, user, sealed); err != nil {
			return nil, err
		}
	}
	return s.answer(&sale, user, p, chances)
}

// answer describes a place, or returns why it is refused.
func (s *Service) answer(sale *Sale, user string, p place, chances int64) (*Answer, error) {
	answer, err := s.state(sale, user, p, chances)
	if err != nil {
		return nil, err
	}
	answer.Paused = sale.Room.PausedMS > 0
	return answer, nil
}

func (s *Service) state(sale *Sale, user string, p place, chances int64) (*Answer, error) {
	_, spread := s.seal.score(sale.Activity, user)
	sealed, now := s.seal.seal(user, p), s.clock.NowMS()
	switch {
	case p.position == early:
		return beforeStart(sealed, sale.StartsMS, now, spread), nil
	case p.position < sale.Room.Expired(sale.StartsMS, now):
		return nil, errExpired
	case p.position < sale.Room.Admitted(sale.StartsMS, now):
		return admitted(sealed, sale, p.position, now), nil
	}
	return waiting(sealed, sale, p.position, chances, now, spread), nil
}

func calls(
	call func(activity string, requests []request, places []lua.LinePlace) error,
) *gather.Group[string, request, lua.LinePlace] {
	return gather.New(gather.Config[string, request, lua.LinePlace]{Call: call, MaxCall: lua.MaxLineUsers})
}
