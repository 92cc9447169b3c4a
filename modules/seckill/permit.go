package seckill

import (
	"context"
	"errors"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/modules/seckill/permit"
	"onrush/modules/seckill/place"
)

// permitRequest describes a user's permit for a sku. It lasts as long as a path (Config.PathFor).
func (s *Service) permitRequest(a *Activity, sku, user string) permit.Request {
	return permit.Request{
		Lane: a.Lane, Activity: a.ID, SKU: sku, User: user, Ratio: a.PermitRatio, For: s.cfg.PathFor, EndsMS: a.EndsMS,
	}
}

// takePermit takes a permit for a user and returns when it expires, or why there is none.
func (s *Service) takePermit(
	ctx context.Context, a *Activity, g *ActivitySKU, user string,
) (expiresMS int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Place.Within)
	defer cancel()
	got, err := s.permits.Take(ctx, s.permitRequest(a, g.SKU, user))
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
