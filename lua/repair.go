package lua

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Repair corrects an activity in Redis: it restores missing holds (order number → hold; an existing
// one is not changed), removes the holds of orders that must not have one, and then adds to fields of
// the stock. repairs is how often stock had been added when the drift was found. Repair returns false
// if the activity isn't loaded under this epoch, or stock was added since.
//
// Holds are sent in chunks before the stock; the caller must hold the activity's fence in SQL, so that
// nothing changes in between. After an error or false some holds may have been corrected; after
// false no stock was added.
func (s *Scripts) Repair(
	ctx context.Context, lane int, activity string, epoch, repairs int64,
	restore map[string]string, drop []string, add map[string]int64,
) (ok bool, err error) {
	stock := s.Keys.Stock(lane, activity)
	for numbers := range slices.Chunk(slices.Sorted(maps.Keys(restore)), maxChunk/2) {
		pairs := make([]any, 0, 2*len(numbers))
		for _, number := range numbers {
			pairs = append(pairs, number, restore[number])
		}
		if ok, err = s.repair(ctx, lane, activity, stock, epoch, repairs, pairs, nil, nil); err != nil || !ok {
			return false, err
		}
	}
	for numbers := range slices.Chunk(drop, maxChunk) {
		gone := make([]any, len(numbers))
		for i, number := range numbers {
			gone[i] = number
		}
		if ok, err = s.repair(ctx, lane, activity, stock, epoch, repairs, nil, gone, nil); err != nil || !ok {
			return false, err
		}
	}
	return s.repair(ctx, lane, activity, stock, epoch, repairs, nil, nil, units(add))
}

// RepairPaid adds to the counts of units paid, as Repair adds to the stock.
func (s *Scripts) RepairPaid(
	ctx context.Context, lane int, activity string, epoch, repairs int64, add map[string]int64,
) (ok bool, err error) {
	return s.repair(ctx, lane, activity, s.Keys.Paid(lane, activity), epoch, repairs, nil, nil, units(add))
}

// units returns the pairs of field and amount, by field.
func units(add map[string]int64) []any {
	pairs := make([]any, 0, 2*len(add))
	for _, field := range slices.Sorted(maps.Keys(add)) {
		pairs = append(pairs, field, add[field])
	}
	return pairs
}

func (s *Scripts) repair(
	ctx context.Context, lane int, activity, to string, epoch, repairs int64, restore, drop, add []any,
) (bool, error) {
	keys := []string{s.Keys.Meta(lane, activity), to, s.Keys.Held(lane, activity)}
	args := []any{epoch, repairs, len(restore) / 2, len(drop), len(add) / 2}
	code, err := repairStock.Run(ctx, s.Redis, keys, slices.Concat(args, restore, drop, add)...).Int64()
	switch {
	case err != nil:
		return false, fmt.Errorf("repair activity %s: %w", activity, err)
	case code == 1:
		return true, nil
	case code == 0, code == int64(ActivityNotLoaded):
		return false, nil
	default:
		return false, fmt.Errorf("repair activity %s: %w", activity, unknownCode(code))
	}
}

// BoughtRepair is one correction of a count of the bought hash.
type BoughtRepair struct {
	Field string
	From  string // its value when it was compared; "" if it was absent
	To    int64  // the value to set; 0 removes the field
}

// RepairBought corrects counts under purchase limits, except those that changed since they were
// compared. It returns false if the activity isn't loaded under this epoch.
func (s *Scripts) RepairBought(
	ctx context.Context, lane int, activity string, epoch int64, counts []BoughtRepair,
) (ok bool, err error) {
	keys := []string{s.Keys.Meta(lane, activity), s.Keys.Bought(lane, activity)}
	for part := range slices.Chunk(counts, maxChunk/4) {
		args := []any{epoch}
		for _, c := range part {
			args = append(args, c.Field, c.From, c.To)
		}
		code, err := repairBought.Run(ctx, s.Redis, keys, args...).Int64()
		switch {
		case err != nil:
			return false, fmt.Errorf("repair counts of activity %s: %w", activity, err)
		case code == int64(ActivityNotLoaded):
			return false, nil
		case code != 1:
			return false, fmt.Errorf("repair counts of activity %s: %w", activity, unknownCode(code))
		}
	}
	return true, nil
}
