package drill

import (
	"slices"
	"time"

	"onrush/web/client"
)

// holdings are orders that hold units, by what they hold units of.
type holdings map[string][]holding

// holding is a change of the units in orders: an order was placed, or cancelled.
type holding struct {
	at    time.Time
	units int64
}

// add adds an order. Its units may be sold again from its cancellation on, which has another clock than placing.
func (h holdings) add(of string, o client.AdminOrder, units int64) {
	h[of] = append(h[of], holding{o.PlacedAt, units})
	if o.Status == "cancelled" {
		until := o.CancelledAt.Add(-clocks)
		if until.Before(o.PlacedAt) {
			until = o.PlacedAt
		}
		h[of] = append(h[of], holding{until, -units})
	}
}

// of returns how many units were in orders at most, and how many are.
func (h holdings) of(what string) (most, now int64) {
	changes := h[what]
	slices.SortStableFunc(changes, func(a, b holding) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return int(a.units - b.units) // units that are given back at that moment may be sold
	})
	for _, change := range changes {
		now += change.units
		most = max(most, now)
	}
	return most, now
}
