package lua

import (
	"context"
	"fmt"
)

// ChangeCode is the answer of change_stock.lua.
type ChangeCode int

// The answers to a stock change.
const (
	ChangeApplied   ChangeCode = 1
	ChangeKnown     ChangeCode = 2  // applied before under this id; nothing done
	ChangeTooMuch   ChangeCode = -1 // less than that is left, in all or at the point
	ChangeNotLoaded ChangeCode = -7
)

// ChangeStock adds delta units (or takes them, below 0) to a sku at a point, once per change id.
func (s *Scripts) ChangeStock(
	ctx context.Context, lane int, activity, changeID, sku, point string, delta int64,
) (ChangeCode, error) {
	keys := []string{s.Keys.Meta(lane, activity), s.Keys.Stock(lane, activity), s.Keys.Changes(lane, activity)}
	reply, err := changeStock.Run(ctx, s.Redis, keys, changeID, sku, point, delta).Int64()
	if err != nil {
		return 0, fmt.Errorf("change %s of activity %s: %w", changeID, activity, err)
	}
	switch code := ChangeCode(reply); code {
	case ChangeApplied, ChangeKnown, ChangeTooMuch, ChangeNotLoaded:
		return code, nil
	default:
		return 0, fmt.Errorf("change %s of activity %s: %w", changeID, activity, unknownCode(reply))
	}
}
