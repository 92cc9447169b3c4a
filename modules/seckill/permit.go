package seckill

import (
	"cmp"
	"context"
	"errors"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/modules/seckill/permit"
	"onrush/modules/seckill/place"
)

// permitRequest describes a user's permit for a sku. It lasts as long as a path (Config.PathFor).
func (s *Service) permitRequest(a *Activity, sku, user, limitKey string) permit.Request {
	return permit.Request{
		Lane: a.Lane, Activity: a.ID, SKU: sku, User: user, LimitKey: limitKey, Ratio: a.PermitRatio,
		For: s.cfg.PathFor, EndsMS: a.EndsMS,
	}
}

// takePermits takes a permit of each of some goods, or of its parts, for a user, and returns when the first of them
// expires, or why there is none. The permits taken before the one that is refused stay the user's until they expire.
func (s *Service) takePermits(
	ctx context.Context, a *Activity, goods []*ActivitySKU, user, limitKey string,
) (expiresMS int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Place.Within)
	defer cancel()
	if len(goods) == 1 && goods[0].Bundle() { // a buyer at a limit takes no permit of any part
		lines, err := a.unbundle([]orderLine{{goods[0], 1, nil}})
		if err == nil {
			err = s.limitReached(ctx, a, lines, cmp.Or(limitKey, user))
		}
		if err != nil {
			return 0, err
		}
	}
	for _, g := range goods {
		for _, of := range a.stocked(g) {
			until, err := s.takePermit(ctx, a, of, user, limitKey)
			if err != nil {
				return 0, named(err, goods, of.SKU)
			}
			if expiresMS == 0 || until < expiresMS {
				expiresMS = until
			}
		}
	}
	return expiresMS, nil
}

// takePermit takes a permit for a user and returns when it expires, or why there is none.
func (s *Service) takePermit(
	ctx context.Context, a *Activity, g *ActivitySKU, user, limitKey string,
) (expiresMS int64, err error) {
	got, err := s.permits.Take(ctx, s.permitRequest(a, g.SKU, user, limitKey))
	switch {
	case lua.IsFull(err):
		return 0, place.ErrOverloaded
	case err != nil:
		return 0, problem.Unavailable(err, "The sale can't be reached right now.")
	}
	switch got.Code {
	case lua.PermitTaken:
		return got.ExpiresMS, nil
	case lua.PermitNone:
		return 0, errNoPermit
	case lua.PermitOverActivityLimit:
		return 0, overLimit(got.Bought, a.PurchaseLimit)
	case lua.PermitOverSKULimit:
		return 0, overLimit(got.Bought, g.PurchaseLimit)
	case lua.PermitSoldOut:
		return 0, s.soldOut(ctx, a, g, "", 1)
	case lua.PermitNotLoaded:
		return 0, problem.Unavailable(nil, "The sale is being loaded.")
	}
	return 0, errors.New("take permit: unknown code")
}
