package lua

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// SwapCode is the result of swap_hold.lua and of swap_units.lua.
type SwapCode int

// The results of a swap.
const (
	Swapped       SwapCode = 1  // by this call or an earlier one
	SwapNotHeld   SwapCode = 0  // of Swap: the order has no hold and is not paid; nothing was done
	SwapSoldOut   SwapCode = -1 // of SwapUnits: fewer units are left, or an earlier call was refused
	SwapOverLimit SwapCode = -3 // of SwapUnits: the user would exceed the limit of the sku
	SwapNotLoaded SwapCode = -7 // not loaded under this epoch; nothing was done
)

// Swap is the change of an order from one sku to another. From and To are as of FormatHeld.
type Swap struct {
	ID, Number, From, To string
	Paid                 bool // SQL has the order as paid or refunded
}

// Swap gives back the units of the sku that an order was swapped from, once per id. SwapUnits has taken the units of
// the other sku. epoch is the load epoch at which the swap was found pending. The error is ErrUnconfirmed if too few
// replicas have it.
func (s *Scripts) Swap(ctx context.Context, lane int, activity string, epoch int64, swap Swap) (SwapCode, error) {
	keys := []string{
		s.Keys.Meta(lane, activity), s.Keys.Stock(lane, activity), s.Keys.Held(lane, activity),
		s.Keys.Paid(lane, activity), s.Keys.Bought(lane, activity), s.Keys.Changes(lane, activity),
	}
	paid := 0
	if swap.Paid {
		paid = 1
	}
	reply, err := s.runConfirmed(ctx, swapHold, s.Keys.WriteCheck(lane), keys, epoch, swap.ID, swap.Number, swap.From,
		swap.To, paid).Int64()
	if err != nil {
		return 0, fmt.Errorf("swap the hold of order %s: %w", swap.Number, err)
	}
	switch code := SwapCode(reply); code {
	case Swapped, SwapNotHeld, SwapNotLoaded:
		return code, nil
	default:
		return 0, fmt.Errorf("swap the hold of order %s: %w", swap.Number, unknownCode(reply))
	}
}

// Swappable returns what SwapUnits would for a user who takes units of a sku: Swapped if enough are left. It changes
// nothing, and unlike SwapUnits stores no refusal. A sku that isn't loaded at the point is swappable.
func (s *Scripts) Swappable(
	ctx context.Context, lane int, activity string, units int64, sku, point, user string,
) (SwapCode, error) {
	var stock, limit, bought *redis.SliceCmd
	_, err := s.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		stock = p.HMGet(ctx, s.Keys.Stock(lane, activity), sku, StockField(sku, point))
		limit = p.HMGet(ctx, s.Keys.Meta(lane, activity), "limit:"+sku)
		bought = p.HMGet(ctx, s.Keys.Bought(lane, activity), BoughtField(CountedSKU(sku), user))
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("read how much is left of sku %s of activity %s: %w", sku, activity, err)
	}
	count := func(value any, absent int64) int64 {
		text, _ := value.(string)
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		return absent
	}
	left := min(count(stock.Val()[0], units), count(stock.Val()[1], units))
	most := count(limit.Val()[0], -1)
	switch {
	case left < units:
		return SwapSoldOut, nil
	case most >= 0 && count(bought.Val()[0], 0)+units > most:
		return SwapOverLimit, nil
	}
	return Swapped, nil
}

// SwapUnits takes units of a sku for a user who swaps an order, or gives them back if delta is above 0, once per id.
// epoch is the load epoch at which the change was found pending. The error is ErrUnconfirmed if too few replicas have
// it.
func (s *Scripts) SwapUnits(
	ctx context.Context, lane int, activity string, epoch int64, id string, delta int64, sku, point, user string,
) (SwapCode, error) {
	keys := []string{
		s.Keys.Meta(lane, activity), s.Keys.Stock(lane, activity), s.Keys.Bought(lane, activity),
		s.Keys.Changes(lane, activity),
	}
	reply, err := s.runConfirmed(ctx, swapUnits, s.Keys.WriteCheck(lane), keys, epoch, id, delta, sku, point,
		user).Int64()
	if err != nil {
		return 0, fmt.Errorf("swap units of activity %s: %w", activity, err)
	}
	switch code := SwapCode(reply); code {
	case Swapped, SwapSoldOut, SwapOverLimit, SwapNotLoaded:
		return code, nil
	default:
		return 0, fmt.Errorf("swap units of activity %s: %w", activity, unknownCode(reply))
	}
}
