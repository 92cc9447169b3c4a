package lua

import (
	"context"
	"fmt"
)

// ReturnCode is what return_stock.lua did with one order.
type ReturnCode int

// The answers to one order.
const (
	Returned          ReturnCode = 1
	NoToken           ReturnCode = 0  // returned before, or paid
	ActivityNotLoaded ReturnCode = -7 // try again later; the load itself may take care of it
)

// Return gives back the units and counts of cancelled orders, each once: an order whose token is
// gone is left alone. The numbers are order numbers of one activity; one code each.
func (s *Scripts) Return(ctx context.Context, lane int, activity string, numbers []string) ([]ReturnCode, error) {
	keys := []string{
		s.Keys.Meta(lane, activity), s.Keys.Stock(lane, activity),
		s.Keys.Held(lane, activity), s.Keys.Bought(lane, activity),
	}
	args := make([]any, len(numbers))
	for i, number := range numbers {
		args[i] = number
	}
	reply, err := returnStock.Run(ctx, s.Redis, keys, args...).Int64Slice()
	if err != nil {
		return nil, fmt.Errorf("return %d orders of activity %s: %w", len(numbers), activity, err)
	}
	if len(reply) != len(numbers) {
		return nil, fmt.Errorf("return %d orders of activity %s: script returned %d codes",
			len(numbers), activity, len(reply))
	}
	codes := make([]ReturnCode, len(reply))
	for i, code := range reply {
		switch codes[i] = ReturnCode(code); codes[i] {
		case Returned, NoToken, ActivityNotLoaded:
		default:
			return nil, fmt.Errorf("return order %s of activity %s: %w", numbers[i], activity, unknownCode(code))
		}
	}
	return codes, nil
}
