package seckill

import (
	"context"
	"time"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// soldOut returns the refusal of an order of quantity units at a point ("" means any). Its code says whether
// units of unpaid orders may be returned.
func (s *Service) soldOut(
	ctx context.Context, a *Activity, g *ActivitySKU, point string, quantity int64,
) *problem.Error {
	if left, err := s.counts.At(ctx, a, g, returnableFor); err == nil && left.MayComeBack(g, point, quantity) {
		e := problem.Errorf(CodeSoldOutUnpaidPending, "Sold out; units of unpaid orders may become available again.")
		e.RefreshAfter = time.Second
		if backBy, known := left.BackByMS(a, g.SKU); known {
			e.RefreshAfter = max(e.RefreshAfter, time.Duration(backBy-s.clock.NowMS())*time.Millisecond)
		}
		return e
	}
	return problem.Errorf(order.CodeSoldOut, "Sold out.")
}

// anyLeft returns the refusal if a sku is sold out, by a copy of the counts. If they can't be read, the script decides.
func (s *Service) anyLeft(ctx context.Context, a *Activity, g *ActivitySKU) *problem.Error {
	left, err := s.counts.Totals(ctx, a, soldOutFor)
	if err == nil && left.Loaded && left.SKU(g.SKU) <= 0 {
		return s.soldOut(ctx, a, g, "", 1)
	}
	return nil
}

// leftAt returns the refusal if goods that one of several points sends are sold out there, by a copy of the counts. If
// they can't be read, the script decides.
func (s *Service) leftAt(ctx context.Context, a *Activity, g *ActivitySKU, point string) *problem.Error {
	if len(g.Stock) == 1 {
		return nil // anyLeft has looked
	}
	left, err := s.counts.At(ctx, a, g, soldOutFor)
	if err == nil && left.Loaded && left.At(g.SKU, point) <= 0 {
		return s.soldOut(ctx, a, g, point, 1)
	}
	return nil
}

// MayComeBack reports whether units of the sku at a point ("" means any) may be returned, since unpaid orders hold
// them. refused is the number of units of the order that was refused as sold out. If the copy of the stock shows at
// least so many units left, it is older than the orders that took them, so these orders are assumed to be unpaid too.
func (r *Remaining) MayComeBack(s *ActivitySKU, point string, refused int64) bool {
	for _, p := range s.Stock {
		if point != "" && p.Point != point {
			continue
		}
		field := lua.StockField(s.SKU, p.Point)
		left := r.stock[field]
		if left >= refused || p.Total-left-r.paid[field] > 0 {
			return true
		}
	}
	return false
}

// BackByMS returns the time, in UTC milliseconds, by which all units of a sold-out sku are paid or back: no unit was
// taken later than the last one. It is unknown if the sale was loaded since, or if units were taken off sale.
func (r *Remaining) BackByMS(a *Activity, sku string) (ms int64, known bool) {
	emptied, known := r.empty[sku]
	return emptied + a.PayWithinS*1000, known
}
