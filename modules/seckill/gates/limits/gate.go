package limits

import (
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"time"

	"onrush/web/limit"
	"onrush/web/problem"
)

// Gate applies the limits of activities. A nil Gate lets everything pass.
type Gate struct {
	items, users, addresses *limit.Limiter
	dryRun                  bool
}

// NewGate returns a Gate. The judge counts for all instances; if it is unavailable, each instance counts
// alone. A dry run counts and refuses nothing.
func NewGate(judge limit.Judge, dryRun bool, now func() time.Time, log *slog.Logger) *Gate {
	limiter := func(name string) *limit.Limiter {
		return limit.NewLimiter(name, limit.Policy{}, judge, now, log)
	}
	return &Gate{
		items: limiter("item"), users: limiter("activity_user"), addresses: limiter("activity_address"), dryRun: dryRun,
	}
}

// Request counts a request of a user about an activity, and returns a problem if it is over a limit. An
// invalid address doesn't count.
func (g *Gate) Request(ctx context.Context, s Settings, activity, user string, address netip.Addr) error {
	if g == nil || s.User.none() && s.IP.none() {
		return nil
	}
	if err := g.take(ctx, g.users, s.User, activity, user); err != nil {
		return err
	}
	if s.IP.none() || !address.IsValid() {
		return nil
	}
	return g.take(ctx, g.addresses, s.IP, activity, limit.AddressKey(address))
}

func (g *Gate) take(ctx context.Context, by *limit.Limiter, l Limit, activity, client string) error {
	if l.none() {
		return nil
	}
	r := by.TakeUnder(ctx, l.policy(), activity+":"+client)
	if r.Allowed || g.dryRun {
		return nil
	}
	return refusal(by.Name(), l, "requests are allowed in this sale", r.Retry)
}

// Items counts n submits of a sku at once and returns how many of them may be placed, with the refusal of the
// others.
func (g *Gate) Items(ctx context.Context, s Settings, activity, sku string, n int) (allowed int, refused error) {
	if g == nil || s.Item.none() || n == 0 {
		return n, nil
	}
	allowed, retry := g.items.TakeBatch(ctx, s.Item.policy(), activity+":"+sku, n)
	if allowed == n || g.dryRun {
		return n, nil
	}
	return allowed, refusal(g.items.Name(), s.Item, "orders of this item are taken", retry)
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
