package server

import (
	"fmt"

	"onrush/lua"
	"onrush/web"
	"onrush/web/limit"
)

// pollsPerRequest is the factor by which a user's limit is higher on polled routes.
const pollsPerRequest = 5

// limitPolicies are the parsed settings of the rate limits.
type limitPolicies struct{ user, address, instance limit.Policy }

func (c *Config) limitPolicies() (p limitPolicies, err error) {
	for _, setting := range []struct {
		name, text string
		into       *limit.Policy
	}{
		{"ONRUSH_LIMIT_USER", c.LimitUser, &p.user},
		{"ONRUSH_LIMIT_ADDRESS", c.LimitAddress, &p.address},
		{"ONRUSH_LIMIT_INSTANCE", c.LimitInstance, &p.instance},
	} {
		if *setting.into, err = limit.ParsePolicy(setting.text); err != nil {
			return p, fmt.Errorf("%s: %w", setting.name, err)
		}
	}
	return p, nil
}

func (c *Config) checkLimits() error {
	switch c.Limits {
	case "", "on", "off", "dry_run":
	default:
		return fmt.Errorf("ONRUSH_LIMITS is %q, but must be on, off or dry_run", c.Limits)
	}
	_, err := c.limitPolicies()
	return err
}

// limits returns the rate limits of the buyers' routes; nil if they are off.
func (s *Server) limits(cfg Config) (*web.RateLimits, error) {
	if cfg.limitsOff() {
		return nil, nil
	}
	p, err := cfg.limitPolicies()
	if err != nil {
		return nil, err
	}
	judge := lua.NewRateJudge(s.parts.Redis, s.parts.Keys)
	limiter := func(name string, p limit.Policy, judge limit.Judge) *limit.Limiter {
		if p.None() {
			return nil
		}
		return limit.NewLimiter(name, p, judge, s.parts.Now, s.parts.Log)
	}
	return &web.RateLimits{
		User: limiter("user", p.user, judge), Polls: limiter("polls", p.user.Times(pollsPerRequest), judge),
		Address: limiter("address", p.address, judge), Instance: limiter("instance", p.instance, nil),
		DryRun: cfg.Limits == "dry_run", Log: s.parts.Log,
	}, nil
}

func (c *Config) limitsOff() bool { return c.Limits == "" || c.Limits == "off" }
