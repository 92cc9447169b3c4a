package lua

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// ReturnCode is the result of return_stock.lua or confirm_stock.lua for one order.
type ReturnCode int

// The results for one order.
const (
	Returned          ReturnCode = 1
	Confirmed         ReturnCode = Returned
	NotHeld           ReturnCode = 0  // returned or confirmed before
	ActivityNotLoaded ReturnCode = -7 // try again later; the load may do it
	HoldUnreadable    ReturnCode = -8 // nothing was done for the order
)

// Return gives back the units and counts of cancelled orders, each once: an order without a hold is
// skipped. numbers are order numbers of one activity; Return returns one code per number. The error is ErrUnconfirmed
// if too few replicas have it.
func (s *Scripts) Return(ctx context.Context, lane int, activity string, numbers []string) ([]ReturnCode, error) {
	keys := []string{
		s.Keys.Meta(lane, activity), s.Keys.Stock(lane, activity),
		s.Keys.Held(lane, activity), s.Keys.Bought(lane, activity),
	}
	return s.finish(ctx, returnStock, "return", lane, activity, keys, numbers)
}

// Confirm removes the holds of paid orders and counts their units as paid, each once: an order without
// a hold is skipped. numbers are order numbers of one activity; Confirm returns one code per number. The error is
// ErrUnconfirmed if too few replicas have it.
func (s *Scripts) Confirm(ctx context.Context, lane int, activity string, numbers []string) ([]ReturnCode, error) {
	keys := []string{s.Keys.Meta(lane, activity), s.Keys.Held(lane, activity), s.Keys.Paid(lane, activity)}
	return s.finish(ctx, confirmStock, "confirm", lane, activity, keys, numbers)
}

// finish runs return_stock.lua or confirm_stock.lua.
func (s *Scripts) finish(
	ctx context.Context, script *redis.Script, what string, lane int, activity string, keys, numbers []string,
) ([]ReturnCode, error) {
	args := make([]any, len(numbers))
	for i, number := range numbers {
		args[i] = number
	}
	reply, err := s.runConfirmed(ctx, script, s.Keys.WriteCheck(lane), keys, args...).Int64Slice()
	if err != nil {
		return nil, fmt.Errorf("%s %d orders of activity %s: %w", what, len(numbers), activity, err)
	}
	if len(reply) != len(numbers) {
		return nil, fmt.Errorf("%s %d orders of activity %s: script returned %d codes",
			what, len(numbers), activity, len(reply))
	}
	codes := make([]ReturnCode, len(reply))
	for i, code := range reply {
		switch codes[i] = ReturnCode(code); codes[i] {
		case Returned, NotHeld, ActivityNotLoaded, HoldUnreadable:
		default:
			return nil, fmt.Errorf("%s order %s of activity %s: %w", what, numbers[i], activity, unknownCode(code))
		}
	}
	return codes, nil
}
