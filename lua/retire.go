package lua

import (
	"context"
	"fmt"
)

// Retire removes the keys of an activity, if it is closed or not loaded. The counts of its answers and its peak stay
// until they expire, for its report. If it is open or loading, Retire does nothing and returns false. The error is
// ErrUnconfirmed if too few replicas have it.
func (s *Scripts) Retire(ctx context.Context, lane int, activity string, skus []string) (retired bool, err error) {
	k := s.Keys
	keys := []string{
		k.Meta(lane, activity), k.Stock(lane, activity), k.Paid(lane, activity), k.Bought(lane, activity),
		k.Held(lane, activity), k.Tasks(lane, activity), k.Changes(lane, activity),
		k.LineEarly(lane, activity), k.LineLate(lane, activity), k.Waitlist(lane, activity), k.Buyers(lane, activity),
	}
	for _, sku := range skus {
		keys = append(keys, k.Permits(lane, activity, sku), k.Window(lane, activity, sku))
	}
	if retired, err = yes(s.runConfirmed(ctx, retireActivity, s.Keys.WriteCheck(lane), keys).Int64()); err != nil {
		return false, fmt.Errorf("retire activity %s: %w", activity, err)
	}
	return retired, nil
}
