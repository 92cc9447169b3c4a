package seckill

import (
	"context"

	"onrush/lua"
)

// limitReached returns the refusal of quantity more units for a user who would then have more than a limit allows. If
// Redis doesn't answer, the script decides at the submit.
func (s *Service) limitReached(ctx context.Context, a *Activity, g *ActivitySKU, user string, quantity int64) error {
	if a.PurchaseLimit == Unlimited && g.PurchaseLimit == Unlimited {
		return nil
	}
	fields := []string{lua.BoughtField(lua.CountedAll, user), lua.BoughtField(lua.CountedSKU(g.SKU), user)}
	reply := s.lua.Redis.HMGet(ctx, s.lua.Keys.Bought(a.Lane, a.ID), fields...)
	if reply.Err() != nil {
		return nil //nolint:nilerr // as the comment says
	}
	bought, err := counted(fields, reply)
	if err != nil {
		return err
	}
	for i, limit := range []int64{a.PurchaseLimit, g.PurchaseLimit} {
		if had := bought[fields[i]]; limit != Unlimited && had+quantity > limit {
			return overLimit(had, limit)
		}
	}
	return nil
}
