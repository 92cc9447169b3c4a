package server

import (
	"cmp"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/redisdb"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/settings"
	"onrush/web"
)

// changeable is what operators change while the program runs.
type changeable struct {
	cfg    Config // of the environment
	parts  Parts
	limits atomic.Pointer[web.RateLimits] // nil: rate limits are off
	images atomic.Pointer[[]string]       // the hosts of pictures
	sales  *limits.Gate                   // the limits of sales
	judge  *redisdb.RateJudge

	store *settings.Store
	gate  *settings.HTTPGate
}

func newChangeable(cfg Config, p Parts, c callers, sales *limits.Gate) (*changeable, error) {
	s := &changeable{cfg: cfg, parts: p, sales: sales, judge: c.judge}
	if err := s.setLimits(cfg); err != nil {
		return nil, err
	}
	s.images.Store(&cfg.ImageHosts)
	s.store = settings.New(settings.Deps{
		DB: c.operators.db, Lua: c.operators.lua, StoresNow: c.operators.clock.Now, Now: p.Now, Log: p.Log,
		IsRoute: func(route string) error { _, err := web.NewRoute(route); return err }, Apply: s.apply,
	})
	s.gate = settings.NewHTTPGate(s.store)
	return s, nil
}

// apply makes the instance follow the values.
func (s *changeable) apply(v settings.Values) error {
	cfg := s.cfg.with(&v)
	if s.parts.Level != nil {
		s.parts.Level.Set(cfg.Level())
	}
	s.images.Store(&cfg.ImageHosts)
	return s.setLimits(cfg)
}

// imageHosts are the origins of pictures, beside the program's own, as they are at the moment.
func (s *changeable) imageHosts() []string { return *s.images.Load() }

// setLimits makes the instance apply the limits of a configuration.
func (s *changeable) setLimits(cfg Config) error {
	all, err := newLimits(cfg, s.parts, s.judge, s.limits.Load())
	if err != nil {
		return err
	}
	s.limits.Store(all)
	s.sales.SetMode(cfg.Limits.mode())
	return nil
}

// limit is the middleware of the rate limits, as they are at the moment.
func (s *changeable) limit(c *fiber.Ctx) error {
	if all := s.limits.Load(); all != nil {
		return all.Handle(c)
	}
	return c.Next()
}

// limitsMode is what this instance does with the rate limits: on, off or dry_run.
func (s *changeable) limitsMode() string {
	switch all := s.limits.Load(); {
	case all == nil:
		return "off"
	case all.DryRun:
		return "dry_run"
	}
	return "on"
}

// inForce are the settings as this instance applies them.
func (s *changeable) inForce(v settings.Values) settings.InForce {
	cfg := s.cfg.with(&v)
	return settings.InForce{
		Limits: cmp.Or(cfg.Limits.Mode, "off"), LimitUser: policyText(cfg.Limits.User),
		LimitAddress: policyText(cfg.Limits.Address), LimitNetwork: policyText(cfg.Limits.Network),
		LimitStrangers: policyText(cfg.Limits.Strangers), LimitInstance: policyText(cfg.Limits.Instance),
		LimitRoutes: append([]string{}, cfg.Limits.Routes...), ImageHosts: append([]string{}, cfg.ImageHosts...),
		Log: cfg.level(), Degrade: v.Level().String(), SalesStopped: v.Stopped(),
	}
}

// with returns the configuration with the values that are set.
func (c Config) with(v *settings.Values) Config {
	for _, s := range []struct {
		into *string
		from *string
	}{
		{&c.Limits.Mode, v.Limits},
		{&c.Limits.User, v.LimitUser},
		{&c.Limits.Address, v.LimitAddress},
		{&c.Limits.Network, v.LimitNetwork},
		{&c.Limits.Strangers, v.LimitStrangers},
		{&c.Limits.Instance, v.LimitInstance},
		{&c.Log, v.Log},
	} {
		if s.from != nil {
			*s.into = *s.from
		}
	}
	if v.LimitRoutes != nil {
		c.Limits.Routes = *v.LimitRoutes
	}
	if v.ImageHosts != nil {
		c.ImageHosts = *v.ImageHosts
	}
	return c
}

// policyText writes a limit of the configuration as operators see it.
func policyText(text string) string { return cmp.Or(text, "none") }
