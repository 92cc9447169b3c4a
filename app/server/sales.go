package server

import (
	"crypto/rand"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/gates/blocked"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/seckill/inventory"
)

// gates has the gates before the paths of sales.
type gates struct {
	limits *limits.Gate // nil: rate limits are off
	line   *line.Service
	checks human.Checks
	blocks *blocked.Store
}

func (s *Server) gates(cfg Config, sales line.Sales, scripts *lua.Scripts, pools Pools) (g gates, err error) {
	proxies, err := cfg.Web.Proxies()
	if err != nil {
		return g, err
	}
	s.blocked = blocked.NewGate(s.parts.DB, s.clock.Now, proxies, s.parts.Log)
	g.blocks = blocked.NewStore(pools.Operators, s.clock.Now, proxies)
	if !cfg.limitsOff() {
		judge := lua.NewRateJudge(s.parts.Redis, s.parts.Keys)
		g.limits = limits.NewGate(judge, cfg.Limits == "dry_run", s.parts.Now, s.parts.Log)
	}
	secret, previous := []byte(cfg.PathSecret), []byte(cfg.PathSecretPrevious)
	g.line, err = line.NewService(line.Config{Secret: secret, PreviousSecret: previous},
		line.Deps{Sales: sales, Lua: scripts, Clock: s.clock})
	if err != nil {
		return g, err
	}
	pow, err := human.NewPow(human.PowConfig{
		Secret: secret, PreviousSecret: previous, Difficulty: cfg.PowDifficulty,
	}, scripts, s.clock.Now, rand.Reader)
	if err != nil {
		return g, err
	}
	g.checks = human.Checks{human.ProofOfWork: pow}
	if !cfg.Captcha.Off() {
		g.checks[human.Captcha], err = human.NewHostedCaptcha(cfg.Captcha, s.parts.Log)
	}
	return g, err
}

// selling has what the routes need of the packages of sales.
type selling struct {
	activities   *seckill.ActivityCache
	counts       *seckill.StockCache
	gates        gates
	forOperators admin.Deps
}

// wireSales builds the sales with their gates.
func (s *Server) wireSales(
	cfg Config, base deps, pools Pools, deliverer *catalogue.Deliverer,
) (*selling, error) {
	p, clock, scripts := s.parts, base.clock, base.lua
	activities := seckill.NewActivityCache(pools.Buyers, scripts, clock, p.Now)
	counts := seckill.NewStockCache(scripts, p.Now)
	s.counters = seckill.NewAnswerCounters(scripts, clock)
	s.preheat = inventory.NewPreheater(inventory.PreheatConfig{}, base.inventory(),
		inventory.NewLoader(base.inventory()), activities)
	gates, err := s.gates(cfg, seckill.NewLineSales(activities, counts, clock), scripts, pools)
	if err != nil {
		return nil, err
	}
	s.sales, err = seckill.NewService(cfg.sales(p), seckill.Deps{
		DB: pools.Buyers, Lua: scripts, Clock: clock, Cache: activities, Counts: counts, Counters: s.counters,
		Deliverer: deliverer, Limits: gates.limits, Line: gates.line, Checks: gates.checks, Random: p.Random,
		Log: p.Log,
	})
	if err != nil {
		return nil, err
	}
	forOperators := admin.Deps{
		DB: pools.Operators, Lua: scripts, Clock: clock, Catalogue: s.Catalogue, Cache: activities,
		Loader: inventory.NewLoader(base.over(pools.Operators).inventory()), Lanes: cfg.Lanes, Checks: gates.checks,
		NewID: p.NewID, Log: p.Log, Faults: p.Faults, EmbeddedRedis: cfg.RedisURL == "",
	}
	for _, c := range cfg.Channels(p.Now) {
		forOperators.Channels = append(forOperators.Channels, admin.PaymentChannel{Name: c.Name, Test: c.Test})
	}
	s.Activities = admin.NewActivities(forOperators)
	s.History = admin.NewHistory(forOperators, s.counters)
	return &selling{activities: activities, counts: counts, gates: gates, forOperators: forOperators}, nil
}
