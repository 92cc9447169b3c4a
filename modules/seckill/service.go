package seckill

import (
	"context"
	"net/netip"
	"time"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/seckill/permit"
	"onrush/modules/seckill/place"
	"onrush/modules/seckill/tasks"
	"onrush/modules/segments"
)

// Service implements what buyers do in a flash sale: get a path, confirm, submit, follow the task.
type Service struct {
	cfg          Config
	sign         signer
	lua          *lua.Scripts
	clock        *clock.Clock
	cache        *ActivityCache
	counts       *StockCache
	permits      *permit.Issuer
	pace         *tasks.Pace
	tasks        *tasks.Watcher
	placer       *place.Placer
	destinations *catalogue.Destinations
	counters     *AnswerCounters
	limits       *limits.Gate
	line         *line.Service
	checks       human.Checks
	admission    *admit.Gate
	eligible     *eligible.Gate
}

// NewService checks cfg and returns a Service.
func NewService(cfg Config, d Deps) (*Service, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	placer, err := place.NewPlacer(cfg.Place, place.Deps{
		DB: d.DB, Lua: d.Lua, Clock: d.Clock, Numbers: d.Numbers, Placed: d.Counters.CountPlaced, Log: d.Log,
		Tracer: d.Tracer,
	})
	if err != nil {
		return nil, err
	}
	pace := tasks.NewPace(d.Lua, d.Clock)
	return &Service{
		cfg: cfg, sign: newSigner(cfg.Secrets), lua: d.Lua, clock: d.Clock, cache: d.Cache,
		counts: d.Counts, placer: placer, destinations: d.Destinations, counters: d.Counters, limits: d.Limits,
		line: d.Line, checks: d.Checks, admission: d.Admission, eligible: d.Eligible,
		permits: permit.NewIssuer(d.Lua, d.Clock, d.Clock.Local, soldOutFor, cfg.Place.Within),
		pace:    pace,
		tasks:   tasks.NewWatcher(tasks.Deps{DB: d.DB, Lua: d.Lua, Pace: pace, Log: d.Log}),
	}, nil
}

// Stop refuses new submits, and waits until the waiting ones are answered or ctx ends.
func (s *Service) Stop(ctx context.Context) error { return s.placer.Stop(ctx) }

// running returns why an activity doesn't sell now, by the clock of the sales, or nil if it does. It sells from earlyMS
// before its start on.
func (s *Service) running(a *Activity, earlyMS int64) *problem.Error {
	now := s.clock.NowMS()
	if !a.Needs.Known() {
		return problem.Unavailable(nil, "This instance can't sell the sale yet; try again.").After(time.Second)
	}
	if e := a.over(now); e != nil || now >= a.StartsMS-earlyMS {
		return e
	}
	return notStarted(a, now, earlyMS)
}

// notStarted returns the refusal before the start of a sale. It has the time of the server, so that clients can
// count down whatever their own clock says. Clients come again when some may buy, which is earlyMS before the start.
func notStarted(a *Activity, nowMS, earlyMS int64) *problem.Error {
	e := problem.Errorf(CodeNotStarted, "The sale starts at %s.", api.FormatMS(a.StartsMS))
	e.StartsMS, e.NowMS = a.StartsMS, nowMS
	e.RefreshAfter = min(max(time.Duration(a.StartsMS-earlyMS-nowMS), 0)*time.Millisecond, time.Minute)
	return e
}

// Path is an order path and its expiry.
type Path struct {
	Path      string     `json:"path"`
	ExpiresAt api.Millis `json:"expires_at"`
}

// Visit is a user's request for a path.
type Visit struct {
	User    string
	From    string     // the client's address
	Address netip.Addr // for rate limits; invalid if it doesn't count

	Segments segments.Set // that the user is in
	// Claim returns the texts of a claim of the user's verified token. Nil: there are none.
	Claim func(name string) []string

	Activity   string
	SKU        string // of several skus all, ordered, with a comma between
	Place      string // in the waiting room
	HumanCheck string // the answer to the human check
	Code       string // of a sale that is for buyers with one
}

// Path returns a path with which the user may order a sku, while its sale runs. If the sale issues permits,
// the path takes one; a user who has an unexpired permit gets the same again, and one who may buy no more gets none.
func (s *Service) Path(ctx context.Context, v Visit) (Path, error) {
	a, err := s.cache.Get(ctx, v.Activity)
	if err != nil {
		return Path{}, err
	}
	answer, err := s.pass(ctx, a, v)
	s.counters.CountPath(a, err)
	return answer, problem.About(a.ID, v.SKU, "", err)
}
