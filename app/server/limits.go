package server

import (
	"fmt"
	"strings"

	"onrush/modules/limit"
	"onrush/modules/seckill/gates/limits"
	"onrush/web"
)

// pollsPerRequest is the factor by which a user's limit is higher on polled routes.
const pollsPerRequest = 5

// limitPolicies are the parsed settings of the rate limits.
type limitPolicies struct {
	user, address, network, strangers, instance limit.Policy

	routes []routePolicy
}

// routePolicy is the policy of one route of ONRUSH_LIMIT_ROUTES.
type routePolicy struct {
	route  string
	policy limit.Policy
}

// maxRouteLimits bounds the limits of routes, each of which knows up to 100,000 users.
const maxRouteLimits = 20

func (c *Config) limitPolicies() (p limitPolicies, err error) {
	for _, setting := range []struct {
		name, text string
		into       *limit.Policy
	}{
		{"ONRUSH_LIMIT_USER", c.LimitUser, &p.user},
		{"ONRUSH_LIMIT_ADDRESS", c.LimitAddress, &p.address},
		{"ONRUSH_LIMIT_NETWORK", c.LimitNetwork, &p.network},
		{"ONRUSH_LIMIT_STRANGERS", c.LimitStrangers, &p.strangers},
		{"ONRUSH_LIMIT_INSTANCE", c.LimitInstance, &p.instance},
	} {
		if *setting.into, err = limit.ParsePolicy(setting.text); err != nil {
			return p, fmt.Errorf("%s: %w", setting.name, err)
		}
	}
	p.routes, err = c.routePolicies()
	return p, err
}

func (c *Config) routePolicies() ([]routePolicy, error) {
	if len(c.LimitRoutes) > maxRouteLimits {
		return nil, fmt.Errorf("ONRUSH_LIMIT_ROUTES has %d routes, but may have %d", len(c.LimitRoutes), maxRouteLimits)
	}
	routes := make([]routePolicy, len(c.LimitRoutes))
	for i, text := range c.LimitRoutes {
		route, policy, _ := strings.Cut(text, "=")
		p, err := limit.ParsePolicy(policy)
		if err == nil && p.None() {
			err = limit.ErrPolicy
		}
		if err == nil {
			_, err = web.NewRoute(route)
		}
		if err != nil {
			return nil, fmt.Errorf("ONRUSH_LIMIT_ROUTES: %w", err)
		}
		routes[i] = routePolicy{route, p}
	}
	return routes, nil
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

// newLimits returns the rate limits of the buyers' routes; nil if they are off. Limits that have the same policy as
// before go on counting.
func newLimits(cfg Config, parts Parts, judge limit.Judge, before *web.RateLimits) (*web.RateLimits, error) {
	if cfg.limitMode() == limits.Off {
		return nil, nil
	}
	p, err := cfg.limitPolicies()
	if err != nil {
		return nil, err
	}
	known := before.ByName()
	limiter := func(name string, p limit.Policy, judge limit.Judge) *limit.Limiter {
		if p.None() {
			return nil
		}
		if l := known[name]; l != nil && l.Policy() == p {
			return l
		}
		return limit.NewLimiter(name, p, judge, parts.Now, parts.Log)
	}
	all := &web.RateLimits{
		User: limiter("user", p.user, judge), Polls: limiter("polls", p.user.Times(pollsPerRequest), judge),
		Address: limiter("address", p.address, judge), Network: limiter("network", p.network, judge),
		// Whoever needs no token can have many addresses, so Redis is not asked about them.
		Strangers: limiter("strangers", p.strangers, nil),
		Instance:  limiter("instance", p.instance, nil), DryRun: cfg.limitMode() == limits.DryRun, Log: parts.Log,
	}
	for _, r := range p.routes {
		route, err := web.NewRoute(r.route)
		if err != nil {
			return nil, err
		}
		all.Routes = append(all.Routes,
			web.RouteLimit{Route: route, Limiter: limiter("route "+r.route, r.policy, judge)})
	}
	if all.Submit, err = web.NewRoute("POST /api/v1/seckill/*/submit"); err != nil {
		return nil, err
	}
	for _, text := range []string{"GET /api/v1/seckill/tasks/*", "GET /api/v1/seckill/tasks/*/events"} {
		route, err := web.NewRoute(text)
		if err != nil {
			return nil, err
		}
		all.Polled = append(all.Polled, route)
	}
	return all, nil
}

// limitMode is what the limits do.
func (c *Config) limitMode() limits.Mode {
	switch c.Limits {
	case "on":
		return limits.On
	case "dry_run":
		return limits.DryRun
	}
	return limits.Off
}
