package seckill

import (
	"context"
	"slices"

	"onrush/lua"
)

// limitReached returns the refusal of lines for a buyer, which is a user or a limit key, that would then have more than
// a limit allows. If Redis doesn't answer, the script decides at the submit.
func (s *Service) limitReached(ctx context.Context, a *Activity, lines []orderLine, buyer string) error {
	bundle := bundleOf(lines)
	ownLimit := bundle != nil && bundle.limited()
	if a.PurchaseLimit == Unlimited && !ownLimit && !slices.ContainsFunc(lines, orderLine.limited) {
		return nil
	}
	limits, units := []int64{a.PurchaseLimit}, []int64{0}
	fields := []string{lua.BoughtField(lua.CountedAll, buyer)}
	goods := make([]*ActivitySKU, len(lines))
	skus := []string{""}
	for i, l := range lines {
		goods[i] = l.ActivitySKU
		skus = append(skus, l.SKU)
		limits, units = append(limits, l.PurchaseLimit), append(units, l.quantity)
		fields = append(fields, lua.BoughtField(lua.CountedSKU(l.SKU), buyer))
		units[0] += l.quantity
	}
	if ownLimit {
		limits, units = append(limits, bundle.PurchaseLimit), append(units, bundle.quantity)
		fields = append(fields, lua.BoughtField(lua.CountedSKU(bundle.SKU), buyer))
	}
	if bundle != nil {
		goods, skus = []*ActivitySKU{bundle.ActivitySKU}, append(skus, bundle.SKU)
	}
	reply := s.lua.Redis.HMGet(ctx, s.lua.Keys.Bought(a.Lane, a.ID), fields...)
	if reply.Err() != nil {
		return nil //nolint:nilerr // as the comment says
	}
	bought, err := counted(fields, reply)
	if err != nil {
		return err
	}
	for i, limit := range limits {
		if had := bought[fields[i]]; limit != Unlimited && had+units[i] > limit {
			return named(overLimit(had, limit), goods, skus[i])
		}
	}
	return nil
}
