package server

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"onrush/modules/limit"
	"onrush/modules/seckill/gates/limits"
	"onrush/web"
)

// pollsPerRequest is the factor by which a user's limit is higher on polled routes.
const pollsPerRequest = 5

// limitSettings are the rate limits of buyers, such as 100/1s; "" or none: no limit. The zero value has none.
type limitSettings struct {
	// Mode is on, off, or dry_run, which only counts and logs. Empty: off.
	Mode string
	// User is over all instances, and 5 times as high for polled routes.
	User string
	// Address is over all instances, of a client address (IPv6: its /64). A whole town may share an address.
	Address string
	// Network is over all instances: IPv4 /24, IPv6 /48.
	Network string
	// Strangers is of requests without a token, for each client address at each instance.
	Strangers string
	// Instance is of all requests to this instance.
	Instance string
	// Routes are of a user to single routes, over all instances, such as POST /api/v1/seckill/path=5/1s; * is any part
	// of a path.
	Routes []string
}

// UnmarshalText reads a list such as dry_run,user=50/1s,POST /api/v1/seckill/path=5/1s. What it doesn't name has its
// default.
func (s *limitSettings) UnmarshalText(text []byte) error {
	*s = limitSettings{User: "100/1s", Strangers: "1000/1s"}
	err := eachItem(string(text), func(name, value string, pair bool) error {
		into, known := s.byName()[name]
		switch {
		case s.Mode == "" && !pair && (name == "on" || name == "off" || name == "dry_run"):
			s.Mode = name
		case pair && known:
			*into = value
		case pair && strings.Contains(name, " /"):
			s.Routes = append(s.Routes, name+"="+value)
		default:
			return fmt.Errorf("%q must be on, off or dry_run, once, or a limit such as user=100/1s: of user, address, "+
				"network, strangers, instance, or a route such as POST /api/v1/seckill/path", name)
		}
		return nil
	})
	s.Mode = cmp.Or(s.Mode, "on")
	return err
}

// String is the list that UnmarshalText reads.
func (s limitSettings) String() string {
	items := []string{s.Mode}
	for _, name := range slices.Sorted(maps.Keys(s.byName())) {
		items = append(items, name+"="+policyText(*s.byName()[name]))
	}
	return strings.Join(append(items, s.Routes...), ",")
}

// byName are the limits that aren't of routes.
func (s *limitSettings) byName() map[string]*string {
	return map[string]*string{
		"user": &s.User, "address": &s.Address, "network": &s.Network, "strangers": &s.Strangers,
		"instance": &s.Instance,
	}
}

// eachItem calls found with the items of a list, which are names, or pairs of a name and a value. A name may be given
// once.
func eachItem(list string, found func(name, value string, pair bool) error) error {
	had := map[string]bool{}
	for item := range strings.SplitSeq(list, ",") {
		name, value, pair := strings.Cut(item, "=")
		if name = strings.TrimSpace(name); name == "" && !pair {
			continue
		}
		if had[name] {
			return fmt.Errorf("%s is given twice", name)
		}
		had[name] = true
		if value = strings.TrimSpace(value); pair && value == "" {
			return fmt.Errorf("%s has no value", name)
		}
		if err := found(name, value, pair); err != nil {
			return err
		}
	}
	return nil
}

// limitPolicies are the parsed settings of the rate limits.
type limitPolicies struct {
	user, address, network, strangers, instance limit.Policy

	routes []routePolicy
}

// routePolicy is the policy of one route.
type routePolicy struct {
	route  string
	policy limit.Policy
}

// maxRouteLimits bounds the limits of routes, each of which knows up to 100,000 users.
const maxRouteLimits = 20

func (s *limitSettings) policies() (p limitPolicies, err error) {
	for name, into := range map[string]*limit.Policy{
		"user": &p.user, "address": &p.address, "network": &p.network, "strangers": &p.strangers,
		"instance": &p.instance,
	} {
		if *into, err = limit.ParsePolicy(*s.byName()[name]); err != nil {
			return p, fmt.Errorf("ONRUSH_LIMITS: %s: %w", name, err)
		}
	}
	if len(s.Routes) > maxRouteLimits {
		return p, fmt.Errorf("ONRUSH_LIMITS has %d routes, but may have %d", len(s.Routes), maxRouteLimits)
	}
	for _, text := range s.Routes {
		route, policy, _ := strings.Cut(text, "=")
		parsed, err := limit.ParsePolicy(policy)
		if err == nil && parsed.None() {
			err = limit.ErrPolicy
		}
		if err == nil {
			_, err = web.NewRoute(route)
		}
		if err != nil {
			return p, fmt.Errorf("ONRUSH_LIMITS: %s: %w", text, err)
		}
		p.routes = append(p.routes, routePolicy{route, parsed})
	}
	return p, nil
}

// newLimits returns the rate limits of the buyers' routes; nil if they are off. Limits that have the same policy as
// before go on counting.
func newLimits(cfg Config, parts Parts, judge limit.Judge, before *web.RateLimits) (*web.RateLimits, error) {
	if cfg.Limits.mode() == limits.Off {
		return nil, nil
	}
	p, err := cfg.Limits.policies()
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
		Instance:  limiter("instance", p.instance, nil), DryRun: cfg.Limits.mode() == limits.DryRun, Log: parts.Log,
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

// mode is what the limits do.
func (s *limitSettings) mode() limits.Mode {
	switch s.Mode {
	case "on":
		return limits.On
	case "dry_run":
		return limits.DryRun
	}
	return limits.Off
}
