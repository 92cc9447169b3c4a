package lua

import (
	"context"
	"fmt"
)

// ChangeRefused is the value in the changes hash of a change that asked for more units than were left.
const ChangeRefused = "refused"

// ChangeCode is the result of change_stock.lua.
type ChangeCode int

// The results of a stock change.
const (
	ChangeApplied   ChangeCode = 1
	ChangeKnown     ChangeCode = 2  // applied before under this id; nothing done
	ChangeTooMuch   ChangeCode = -1 // fewer units were open, in total or at the point, when it was first tried
	ChangeNotLoaded ChangeCode = -7 // not loaded under this epoch: check again whether the change is pending
)

// ChangeStock adds delta units to a sku at a point, or removes them if delta is below 0, once per
// change id. epoch is the load epoch at which the change was found pending. The error is ErrUnconfirmed if too few
// replicas have it.
func (s *Scripts) ChangeStock(
	ctx context.Context, lane int, activity string, epoch int64, changeID, sku, point string, delta int64,
) (ChangeCode, error) {
	keys := []string{s.Keys.Meta(lane, activity), s.Keys.Stock(lane, activity), s.Keys.Changes(lane, activity)}
	reply, err := s.runConfirmed(ctx, changeStock, s.Keys.WriteCheck(lane), keys, changeID, sku, point, delta,
		epoch).Int64()
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
