package seckill

import (
	"context"
	"time"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// soldOut returns the refusal of an order of quantity units at a point ("" means any). Its code says whether
// units of unpaid orders may be returned.
func (s *Service) soldOut(
	ctx context.Context, a *Activity, g *ActivitySKU, point string, quantity int64,
) *problem.Error {
	now := s.clock.NowMS()
	if at, _, planned := g.Waves.Next(point, now); planned && at < a.EndsMS {
		return nextWave(at, now)
	}
	if left, err := s.counts.At(ctx, a, g, returnableFor); err == nil && left.MayComeBack(g, point, quantity, now) {
		e := problem.Errorf(CodeSoldOutUnpaidPending, "Sold out; units of unpaid orders may become available again.")
		e.RefreshAfter = time.Second
		if backBy, known := left.BackByMS(a, g.SKU); known {
			e.RefreshAfter = max(e.RefreshAfter, time.Duration(backBy-now)*time.Millisecond)
		}
		return e
	}
	return problem.Errorf(order.CodeSoldOut, "Sold out.")
}

// anyLeft returns the refusal if a sku is sold out, by a copy of the counts. If they can't be read, the script decides.
// reserved says that units that are reserved count, too.
func (s *Service) anyLeft(ctx context.Context, a *Activity, g *ActivitySKU, reserved bool) error {
	open, known := s.counts.openFor(ctx, a, g, soldOutFor, s.clock.NowMS(), reserved)
	switch {
	case !known || open > 0:
		return nil
	case g.Bundle():
		return s.bundleSoldOut(ctx, a, g)
	}
	return s.noneLeft(ctx, a, g, "", reserved)
}

// noneLeft is soldOut for one unit. If all units left are reserved for others, the refusal says until when.
func (s *Service) noneLeft(ctx context.Context, a *Activity, g *ActivitySKU, point string, reserved bool) error {
	if now := s.clock.NowMS(); !reserved && a.Reserved.At(now) && int64(a.Reserved.Until) < a.EndsMS {
		if left, err := s.counts.At(ctx, a, g, soldOutFor); err == nil {
			if e := left.reservedElsewhere(g, point, now); e != nil {
				return e
			}
		}
	}
	return s.soldOut(ctx, a, g, point, 1)
}

// anyOfEachLeft is anyLeft for each of several skus.
func (s *Service) anyOfEachLeft(ctx context.Context, a *Activity, goods []*ActivitySKU, reserved bool) error {
	for _, g := range goods {
		if e := s.anyLeft(ctx, a, g, reserved); e != nil {
			return named(e, goods, g.SKU)
		}
	}
	return nil
}

// leftAt returns the refusal if goods that one of several points sends are sold out there, by a copy of the counts. If
// they can't be read, the script decides. reserved is as of anyLeft.
func (s *Service) leftAt(ctx context.Context, a *Activity, g *ActivitySKU, point string, reserved bool) error {
	if len(g.Stock) == 1 {
		return nil // anyLeft has looked
	}
	left, err := s.counts.At(ctx, a, g, soldOutFor)
	if err == nil && left.Loaded && left.open(g, point, s.clock.NowMS(), reserved) <= 0 {
		return s.noneLeft(ctx, a, g, point, reserved)
	}
	return nil
}

// MayComeBack reports whether units of the sku at a point ("" means any) may be returned, since unpaid orders hold
// them. refused is the number of units of the order that was refused as sold out. If the copy of the stock shows at
// least so many units open, it is older than the orders that took them, so these orders are assumed to be unpaid too.
func (r *Remaining) MayComeBack(s *ActivitySKU, point string, refused, nowMS int64) bool {
	for _, p := range s.Stock {
		if point != "" && p.Point != point {
			continue
		}
		field := lua.StockField(s.SKU, p.Point)
		left := r.stock[field]
		open := left - s.Waves.Closed(p.Point, nowMS) - r.Reserved(s, p.Point, nowMS)
		if open >= refused || p.Total-left-r.paid[field] > 0 {
			return true
		}
	}
	return false
}

// BackByMS returns the time, in UTC milliseconds, by which all units of a sold-out sku are paid or back: no unit was
// taken later than the last one. It is unknown if the sale was loaded since, or if units were taken off sale.
func (r *Remaining) BackByMS(a *Activity, sku string) (ms int64, known bool) {
	emptied, known := r.empty[sku]
	return emptied + (a.PayWithinS+a.PayGraceS)*1000, known
}

// nextWave refuses an order for which too few units are open, before a time at which more open. It has the time of the
// server, so that clients can count down whatever their own clock says.
func nextWave(atMS, nowMS int64) *problem.Error {
	e := problem.Errorf(CodeSoldOutForNow, "Sold out for now; more units are sold from %s.", api.FormatMS(atMS))
	e.NextWaveMS, e.NowMS = atMS, nowMS
	e.RefreshAfter = min(max(time.Duration(atMS-nowMS)*time.Millisecond, time.Second), time.Minute)
	return e
}
