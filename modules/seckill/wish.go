package seckill

import (
	"cmp"
	"context"
	"net/netip"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/segments"
)

// Wisher is a buyer who wishes for units. The fields are as in Visit.
type Wisher struct {
	User       string
	Segments   segments.Set
	From       string
	Address    netip.Addr
	Claim      func(name string) []string
	HumanCheck string
}

// Wish is units of a sku that a buyer wishes for, and the stock point that would send them.
type Wish struct {
	Activity *Activity
	SKU      *ActivitySKU
	Point    string
	Buyer    string // whose purchases are counted together: the user, or a limit key
}

// Wish checks what a buyer wishes for as a path and a submit would, but for the units that are left. Errors are those
// of a path and a submit; a quantity that the point never had is invalid_request.
func (s *Service) Wish(ctx context.Context, by Wisher, activity, sku string, c Choice) (*Wish, error) {
	a, err := s.cache.Get(ctx, activity)
	if err != nil {
		return nil, err
	}
	g, ok := a.sku(sku)
	if !ok {
		return nil, problem.NotFound("sku in this sale")
	}
	if err := s.limits.Request(ctx, a.Limits, a.ID, by.User, by.Address); err != nil {
		return nil, err
	}
	if err := admit.ToSegments(a.Segments, by.Segments); err != nil {
		return nil, err
	}
	if e := s.takesWishes(a); e != nil {
		return nil, e
	}
	limitKey, err := s.mayBuy(ctx, a, Visit{User: by.User, Claim: by.Claim}, false)
	if err != nil {
		return nil, err
	}
	if len(c.Lines) > 0 {
		return nil, problem.Invalid("lines", "are not waited for; wait for each sku")
	}
	if g.Bundle() {
		return nil, problem.Invalid("sku_id", "is a bundle; wait for each of its parts")
	}
	who := human.Subject{Lane: a.Lane, Activity: a.ID, User: by.User, Address: by.From}
	if err := s.checks.Verify(ctx, a.HumanCheck, who, by.HumanCheck); err != nil {
		return nil, err
	}
	lines := []orderLine{{g, c.Quantity, nil}}
	q, err := s.quote(ctx, by.User, a, lines, c)
	if err != nil {
		return nil, err
	}
	if c.Quantity > g.totalAt(q.Point) {
		return nil, problem.Invalid("quantity", "is more than the sale has: %d", g.totalAt(q.Point))
	}
	buyer := cmp.Or(limitKey, by.User)
	if err := s.limitReached(ctx, a, lines, buyer); err != nil {
		return nil, err
	}
	return &Wish{Activity: a, SKU: g, Point: q.Point, Buyer: buyer}, nil
}

// takesWishes returns why buyers can't wish for anything now, or nil: they can before the start of a draw, and while
// another sale runs.
func (s *Service) takesWishes(a *Activity) *problem.Error {
	now := s.clock.NowMS()
	switch {
	case !a.Draws():
		return s.running(a, 0)
	case now < a.StartsMS:
		return a.over(now)
	}
	return problem.Errorf(CodeDrawClosed, "Buyers could enter until %s.", api.FormatMS(a.StartsMS))
}

// totalAt returns how many units of the sku a point has had in all.
func (s *ActivitySKU) totalAt(point string) int64 {
	for _, p := range s.Stock {
		if p.Point == point {
			return p.Total
		}
	}
	return 0
}
