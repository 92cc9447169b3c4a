package seckill

import (
	"context"
	"slices"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/line"
)

// LineSales returns what waiting rooms need to know of activities, from the copies of this instance.
type LineSales struct {
	cache  *ActivityCache
	counts *StockCache
	clock  *clock.Clock
}

var _ line.Sales = (*LineSales)(nil)

// NewLineSales returns the activities of a cache, with the units that they have left.
func NewLineSales(cache *ActivityCache, counts *StockCache, clock *clock.Clock) *LineSales {
	return &LineSales{cache: cache, counts: counts, clock: clock}
}

// LineSale returns the activity as its waiting room sees it.
func (a *Activity) LineSale() line.Sale {
	return line.Sale{
		Activity: a.ID, Lane: a.Lane, StartsMS: a.StartsMS, EndsMS: a.EndsMS, Room: a.WaitingRoom, Segments: a.Segments,
	}
}

// Sale returns an activity that was published.
func (l *LineSales) Sale(ctx context.Context, activity string) (line.Sale, error) {
	a, err := l.cache.Get(ctx, activity)
	if err != nil {
		return line.Sale{}, err
	}
	return a.LineSale(), nil
}

// Chances returns how many more users may take a path, without those for whom units are reserved. If no unit of the
// activity is left and none may come back, the error is sold_out.
func (l *LineSales) Chances(ctx context.Context, activity string) (int64, error) {
	a, err := l.cache.Get(ctx, activity)
	if err != nil {
		return 0, err
	}
	if e := a.over(l.clock.NowMS()); e != nil {
		return 0, e
	}
	left, err := l.counts.Totals(ctx, a, countsFor)
	if err != nil || !left.Loaded {
		return line.Unknown, nil //nolint:nilerr // the waiting room works without the counts
	}
	var units, reserved int64
	for i := range a.SKUs {
		units += max(left.SKU(a.SKUs[i].SKU), 0)
		reserved += l.counts.reservedOf(ctx, a, &a.SKUs[i], l.clock.NowMS())
	}
	if units == 0 && !l.mayComeBack(ctx, a) {
		return 0, problem.Errorf(order.CodeSoldOut, "Sold out.")
	}
	return int64(float64(max(units-reserved, 0)) * max(a.PermitRatio, 1)), nil
}

// mayComeBack reports whether units of a sku may be returned; if that can't be read, they may.
func (l *LineSales) mayComeBack(ctx context.Context, a *Activity) bool {
	left, err := l.counts.All(ctx, a, returnableFor)
	now := l.clock.NowMS()
	returnable := func(g ActivitySKU) bool { return left.MayComeBack(&g, "", 1, now) }
	return err != nil || slices.ContainsFunc(a.SKUs, returnable)
}

// over returns why an activity sells no more, or nil if it may.
func (a *Activity) over(nowMS int64) *problem.Error {
	switch {
	case a.State == Offline:
		return problem.Errorf(CodeOffline, "The sale was taken offline.")
	case nowMS >= a.EndsMS:
		return problem.Errorf(CodeEnded, "The sale has ended.")
	}
	return nil
}
