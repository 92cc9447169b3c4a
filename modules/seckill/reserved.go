package seckill

import (
	"context"
	"fmt"
	"slices"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/needs"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/place"
)

// Units at a stock point may be reserved for some buyers until a time: as many as the plan of the sku says, less those
// that these buyers have in orders that are neither cancelled nor failed. So whatever comes back of their orders is
// reserved again, and nobody needs to know which unit an order took. The others buy the rest.

// maxReserved is at how many stock points units of a sku may be reserved.
const maxReserved = 50

// reserves reports whether units may be reserved for buyers, or have been since the activity was published.
func (a *Activity) reserves() bool { return a.Needs.Has(needs.Reserved) }

// ReserveUnits completes the fields that an operator sent: all units are reserved until the same time, and nobody is
// named if none are.
func (a *Activity) ReserveUnits() {
	if !a.Reserved.On() {
		a.Reserved = eligible.ReservedFor{}
	}
	for i := range a.SKUs {
		g := &a.SKUs[i]
		g.Reserved = slices.Clone(g.Reserved)
		for j := range g.Reserved {
			g.Reserved[j].AtMS = int64(a.Reserved.Until)
		}
	}
}

// CheckReserved returns a problem if the activity can't reserve units beside what else it does. Call it after
// ReserveUnits.
func (a *Activity) CheckReserved() error {
	var checks problem.Checks
	units := false
	for i := range a.SKUs {
		reserved := len(a.SKUs[i].Reserved) > 0
		units = units || reserved
		checks.That(!reserved || a.Reserved.On(), fmt.Sprintf("skus[%d].reserved", i),
			"needs reserved_for: a list, a code or a claim of those for whom the units are reserved")
	}
	if a.Reserved.On() {
		a.Reserved.Check(&checks, a.StartsMS)
		checks.That(units, "reserved_for", "needs units in skus[].reserved")
		const beside = "can't be used with reserved_for"
		checks.That(!a.Draws(), "mode", beside)
		checks.That(a.OfferWithinS == 0, "offer_within_s", beside)
		checks.That(!a.permits(), "permit_ratio", beside+": permits are for all units that are left")
		checks.That(!a.hasBundles(), "skus", "can't have bundles beside reserved_for")
		checks.That(a.LastWave() == 0, "skus", "can't have waves beside reserved_for")
	}
	return checks.Err()
}

// CheckReserved adds to the checks the faults of the reserved units of the sku; field is the name of their list.
func (s *ActivitySKU) CheckReserved(checks *problem.Checks, field string) {
	checks.That(len(s.Reserved) <= maxReserved, field, "must be at most %d", maxReserved)
	seen := map[string]bool{}
	for i, w := range s.Reserved {
		at := fmt.Sprintf("%s[%d]", field, i)
		checks.That(s.serves(w.Point), at+".point_id", "has no stock of the sku")
		checks.That(!seen[w.Point], at+".point_id", "is given twice")
		checks.That(!s.serves(w.Point) || w.Quantity <= s.totalAt(w.Point), at+".quantity",
			"is more than the stock point has: %d", s.totalAt(w.Point))
		seen[w.Point] = true
	}
}

// reservedFields are the fields of the bought hash that Remaining.Reserved needs for the plan of the sku.
func (s *ActivitySKU) reservedFields() []string {
	fields := make([]string, len(s.Reserved))
	for i, w := range s.Reserved {
		fields[i] = lua.BoughtField(lua.CountedReserved(s.SKU), w.Point)
	}
	return fields
}

// Reserved returns how many of the units of a sku that are left at a point are reserved at a time.
func (r *Remaining) Reserved(g *ActivitySKU, point string, nowMS int64) int64 {
	reserved := g.Reserved.Closed(point, nowMS)
	if reserved == 0 || point == "" {
		return 0
	}
	reserved -= r.members[lua.BoughtField(lua.CountedReserved(g.SKU), point)]
	return min(max(reserved, 0), max(r.At(g.SKU, point), 0))
}

// open returns how many units of a sku at a point are open to a buyer; reserved says whether units are reserved for
// this buyer.
func (r *Remaining) open(g *ActivitySKU, point string, nowMS int64, reserved bool) int64 {
	units := g.Waves.Open(point, r.At(g.SKU, point), nowMS)
	if !reserved {
		units -= r.Reserved(g, point, nowMS)
	}
	return units
}

// reservedFor reports whether units are reserved for a visitor, and returns the refusal if the goods are sold out for
// the visitor. soldOut is the refusal for buyers without reserved units. While nobody can tell who the visitor is, the
// visitor may buy the units that everybody may buy.
func (s *Service) reservedFor(
	ctx context.Context, a *Activity, v Visit, goods []*ActivitySKU, soldOut error,
) (reserved bool, refusal, err error) {
	if !a.Reserved.At(s.clock.NowMS()) {
		return false, soldOut, nil
	}
	if soldOut != nil {
		if none := s.anyOfEachLeft(ctx, a, goods, true); none != nil {
			return false, none, nil
		}
	}
	sale := a.eligibleSale()
	sale.Eligible = a.Reserved.Who()
	err = s.eligible.Admit(ctx, sale, eligible.Buyer{User: v.User, Code: v.Code, Claim: v.Claim})
	switch {
	case err == nil:
		return true, nil, nil
	case problem.CodeOf(err) == eligible.CodeNotEligible,
		unknown(err) && soldOut == nil && v.Code == "":
		return false, soldOut, nil
	}
	return false, nil, problem.RefusedBy("eligibility", err)
}

// unknown reports whether an error says that nobody can tell now whether units are reserved for a buyer.
func unknown(err error) bool {
	code := problem.CodeOf(err)
	return code == problem.CodeUnavailable || code == problem.CodeOverloaded
}

// opensLater tells a buyer when the units open that the order needs.
func (s *Service) opensLater(ctx context.Context, t *attempt, got place.Outcome) *problem.Error {
	now := s.clock.NowMS()
	if got.Code == lua.NextWave {
		return nextWave(got.NextMS, now)
	}
	e := reservedUntil(got.NextMS, now)
	l := lineOf(t.lines, got.SKU)
	left, err := s.counts.At(ctx, t.activity, l.ActivitySKU, soldOutFor)
	if err != nil || !left.Loaded {
		return e
	}
	if open := left.open(l.ActivitySKU, t.order.Point, now, false); open > 0 && open < l.quantity {
		e.Detail = fmt.Sprintf("You can buy up to %d; the other units are reserved for certain buyers until %s.", open,
			api.FormatMS(got.NextMS))
	}
	return e
}

// reservedUntil refuses an order of units that are reserved for others until a time.
func reservedUntil(untilMS, nowMS int64) *problem.Error {
	e := nextWave(untilMS, nowMS)
	e.Detail = fmt.Sprintf("The units left are reserved for certain buyers until %s; then everybody may buy them.",
		api.FormatMS(untilMS))
	return e
}

// reservedElsewhere returns the refusal of goods at a point ("" means any) of which nothing is left but units that are
// reserved for others; nil if there are no such units.
func (r *Remaining) reservedElsewhere(g *ActivitySKU, point string, nowMS int64) *problem.Error {
	for _, p := range g.Stock {
		if (point == "" || p.Point == point) && r.Reserved(g, p.Point, nowMS) > 0 {
			until, _, _ := g.Reserved.Next(p.Point, nowMS)
			return reservedUntil(until, nowMS)
		}
	}
	return nil
}

// reservedOf returns how many units of a sku are reserved at a time, at all points, by a copy of the counts.
func (c *StockCache) reservedOf(ctx context.Context, a *Activity, g *ActivitySKU, nowMS int64) (units int64) {
	if !a.Reserved.At(nowMS) {
		return 0
	}
	left, err := c.At(ctx, a, g, countsFor)
	if err != nil {
		return 0
	}
	for _, p := range g.Stock {
		units += left.Reserved(g, p.Point, nowMS)
	}
	return units
}

// ReservedAt is Reserved by the id of a sku.
func (r *Remaining) ReservedAt(a *Activity, sku, point string, nowMS int64) int64 {
	g, ok := a.sku(sku)
	if !ok {
		return 0
	}
	return r.Reserved(g, point, nowMS)
}
