package remind

import (
	"context"

	"onrush/modules/seckill"
)

// What the tests of package remind_test see.

// MayBeDue is the query that each run begins with.
const MayBeDue = mayBeDue

// CountBy lets another function count the reminders of a sale.
func (s *Service) CountBy(f func(ctx context.Context, activity string) (Counted, error)) {
	s.counted = f
}

// SoldOut returns nil if all skus of a sale are sold out.
func (s *Service) SoldOut(ctx context.Context, a *seckill.Activity, nowMS int64) error {
	return s.requireSoldOut(ctx, a, "", nowMS)
}
