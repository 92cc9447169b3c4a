package lua

import (
	"context"
	"fmt"
)

// ChangeRefused stands in the changes hash for a change that took too much.
const ChangeRefused = "refused"

// ChangeCode is the answer of change_stock.lua.
type ChangeCode int

// The answers to a stock change.
const (
	ChangeApplied   ChangeCode = 1
	ChangeKnown     ChangeCode = 2  // applied before under this id; nothing done
	ChangeTooMuch   ChangeCode = -1 // less than that was left, in all or at the point, when it was first tried
	ChangeNotLoaded ChangeCode = -7 // not under this epoch: look again whether it is pending
)

// ChangeStock adds delta units (or takes them, below 0) to a sku at a point, once per change id.
// The epoch is that of the load under which the change was found pending.
func (s *Scripts) ChangeStock(
	ctx context.Context, lane int, activity string, epoch int64, changeID, sku, point string, delta int64,
) (ChangeCode, error) {
	keys := []string{s.Keys.Meta(lane, activity), s.Keys.Stock(lane, activity), s.Keys.Changes(lane, activity)}
	reply, err := changeStock.Run(ctx, s.Redis, keys, changeID, sku, point, delta, epoch).Int64()
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
