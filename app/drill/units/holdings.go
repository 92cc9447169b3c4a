// Package units adds up the units that orders hold at each moment, as a drill judges them.
package units

import (
	"slices"
	"time"

	"onrush/web/client"
)

// Clocks is by how much the clocks of the program and of the drill may differ.
const Clocks = time.Second

// Holdings are orders that hold units, by what they hold units of.
type Holdings map[string][]holding

// holding is a change of the units in orders: an order was placed, or cancelled.
type holding struct {
	at    time.Time
	units int64
}

// Add adds an order. Its units may be sold again from its cancellation on, which has another clock than placing.
func (h Holdings) Add(of string, o client.AdminOrder, units int64) {
	h[of] = append(h[of], holding{o.PlacedAt, units})
	if o.Status == "cancelled" {
		until := o.CancelledAt.Add(-Clocks)
		if until.Before(o.PlacedAt) {
			until = o.PlacedAt
		}
		h[of] = append(h[of], holding{until, -units})
	}
}

// Of returns how many units were in orders at most, and how many are.
func (h Holdings) Of(what string) (most, now int64) {
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

// Before returns how many units of a sku of a sale at a stock point were at most in orders that were placed before a
// time, of the users whom by names; nil names all.
func Before(
	at time.Time, orders []client.AdminOrder, sale, sku, point string, by func(user string) bool,
) (most int64) {
	sold := Holdings{}
	for _, o := range orders {
		if o.ActivityID != sale || o.Status == "failed" || !o.PlacedAt.Before(at) || o.PointID != point ||
			by != nil && !by(o.UserID) {
			continue
		}
		for _, item := range o.Items {
			if item.SKUID == sku {
				sold.Add("", o, item.Quantity)
			}
		}
	}
	most, _ = sold.Of("")
	return most
}
