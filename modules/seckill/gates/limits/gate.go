package limits

import (
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"onrush/modules/ids"
	"onrush/modules/limit"
	"onrush/modules/problem"
)

// Mode is what a Gate does.
type Mode int32

// The modes.
const (
	Off    Mode = iota // nothing
	DryRun             // it counts requests, and refuses nothing
	On                 // it refuses requests over a limit
)

// Gate applies the limits of activities. A nil Gate lets everything pass.
type Gate struct {
	users, addresses *limit.Limiter
	mode             atomic.Int32
}

// NewGate returns a Gate that is off until SetMode is called. The judge counts requests for all instances; if it is
// unavailable, each instance counts alone.
func NewGate(judge limit.Judge, now func() time.Time, log *slog.Logger) *Gate {
	limiter := func(name string) *limit.Limiter {
		return limit.NewLimiter(name, limit.Policy{}, judge, now, log)
	}
	return &Gate{users: limiter("activity_user"), addresses: limiter("activity_address")}
}

// SetMode changes what the Gate does.
func (g *Gate) SetMode(m Mode) { g.mode.Store(int32(m)) }

func (g *Gate) is(m Mode) bool { return g != nil && Mode(g.mode.Load()) == m }

// Request counts a request of a user about an activity, and returns a problem if it is over a limit. An
// invalid address doesn't count.
func (g *Gate) Request(ctx context.Context, s Settings, activity, user string, address netip.Addr) error {
	if g == nil || g.is(Off) || s.User.none() && s.IP.none() {
		return nil
	}
	if err := g.take(ctx, g.users, s.User, activity, user); err != nil {
		return err
	}
	if s.IP.none() || !address.IsValid() {
		return nil
	}
	if err := g.take(ctx, g.addresses, s.IP, activity, limit.AddressKey(address)); err != nil || address.Is4() {
		return err
	}
	return g.takeUnder(ctx, g.addresses, s.IP, s.IP.policy().Times(limit.SiteTimes), activity,
		limit.NetworkKey(address))
}

func (g *Gate) take(ctx context.Context, by *limit.Limiter, l Limit, activity, client string) error {
	if l.none() {
		return nil
	}
	return g.takeUnder(ctx, by, l, l.policy(), activity, client)
}

// takeUnder takes a request from a limit of operators under a policy that follows from it.
func (g *Gate) takeUnder(
	ctx context.Context, by *limit.Limiter, l Limit, p limit.Policy, activity, client string,
) error {
	r := by.TakeUnder(ctx, p, ids.Join(activity, client))
	if r.Allowed || !g.is(On) {
		return nil
	}
	return refusal(by.Name(), l, "requests are allowed in this sale", r.Retry)
}

// OverItem returns the refusal of an order over the limit of its item, which decrement_stock.lua applies whatever the
// Mode, since it protects what carries the orders out; the next one may be placed after retry.
func OverItem(s Settings, retry time.Duration) error {
	return refusal("item", s.Item, "orders of this item are taken", retry)
}

func refusal(gate string, l Limit, what string, retry time.Duration) error {
	in := "s"
	if l.Seconds > 1 {
		in = strconv.Itoa(l.Seconds) + " s"
	}
	e := problem.Errorf(problem.CodeRateLimited, "At most %d %s per %s.", l.Requests, what, in).After(retry)
	e.Gate = gate
	return e
}
