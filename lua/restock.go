package lua

import (
	"context"
	"fmt"
)

// Restocked is an order whose units and counts are given back. ID is the id of this change, Hold as of FormatHeld.
type Restocked struct{ ID, Hold string }

// Restock gives back the units and counts of refunded orders of an activity, each once per id, and no longer counts the
// units as paid. epoch is the load epoch under which SQL has given the units back. Restock reports false, and has done
// nothing, if the activity is not loaded under this epoch. The error is ErrUnconfirmed if too few replicas have it.
func (s *Scripts) Restock(
	ctx context.Context, lane int, activity string, epoch int64, orders []Restocked,
) (loaded bool, err error) {
	keys := []string{
		s.Keys.Meta(lane, activity), s.Keys.Stock(lane, activity), s.Keys.Paid(lane, activity),
		s.Keys.Bought(lane, activity), s.Keys.Changes(lane, activity),
	}
	args := []any{epoch}
	for _, o := range orders {
		args = append(args, o.ID, o.Hold)
	}
	code, err := s.runConfirmed(ctx, restockOrders, s.Keys.WriteCheck(lane), keys, args...).Int64()
	switch {
	case err != nil:
		return false, fmt.Errorf("restock %d orders of activity %s: %w", len(orders), activity, err)
	case code == 1:
		return true, nil
	case code == int64(ActivityNotLoaded):
		return false, nil
	}
	return false, fmt.Errorf("restock %d orders of activity %s: %w", len(orders), activity, unknownCode(code))
}
