package seckill

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Part is units of a sku in a bundle.
type Part struct {
	SKU      string `json:"sku_id" validate:"required,id"`
	Quantity int64  `json:"quantity" validate:"required,min=1,max=999"` // in one bundle
}

// Parts are what a bundle consists of; none of a sku that is no bundle. A published sale never changes them.
type Parts []Part

// Sorted returns the parts by sku, as a sale has them.
func (p Parts) Sorted() Parts {
	return slices.SortedStableFunc(slices.Values(p), func(x, y Part) int { return strings.Compare(x.SKU, y.SKU) })
}

// Value writes the parts as SQL keeps them.
func (p Parts) Value() (driver.Value, error) {
	takes := make([]lua.Take, len(p))
	for i, part := range p {
		takes[i] = lua.Take(part)
	}
	text, _ := lua.JoinTakes(takes)
	return text, nil
}

// Scan reads what Value writes.
func (p *Parts) Scan(column any) error {
	text, err := sqldb.ScanText(column)
	if err != nil {
		return err
	}
	*p = nil
	if text == "" {
		return nil
	}
	for sku, units := range lua.Takes(text, 1) {
		*p = append(*p, Part{sku, units})
	}
	return nil
}

// Bundle reports whether the sku is a bundle.
func (s *ActivitySKU) Bundle() bool { return len(s.Parts) > 0 }

func (a *Activity) hasBundles() bool {
	return slices.ContainsFunc(a.SKUs, func(g ActivitySKU) bool { return g.Bundle() })
}

// stocked returns the goods whose units an order of goods takes: of a bundle its parts, or none if the sale lacks one.
func (a *Activity) stocked(goods *ActivitySKU) []*ActivitySKU {
	if !goods.Bundle() {
		return []*ActivitySKU{goods}
	}
	parts := make([]*ActivitySKU, 0, len(goods.Parts))
	for _, p := range goods.Parts {
		g, ok := a.sku(p.SKU)
		if !ok {
			return nil
		}
		parts = append(parts, g)
	}
	return parts
}

// made returns, by stock point, how many of goods can be made there, of the units that the function units returns. A
// point that lacks one of the parts is left out. Each stock is read once: a sku may have a thousand points.
func (a *Activity) made(goods *ActivitySKU, units func(*ActivitySKU, *PointStock) int64) map[string]int64 {
	made := map[string]int64{}
	for i, g := range a.stocked(goods) {
		at := make(map[string]int64, len(g.Stock))
		for k := range g.Stock {
			p := &g.Stock[k]
			least, there := made[p.Point]
			if i > 0 && !there {
				continue
			}
			at[p.Point] = units(g, p)
			if goods.Bundle() {
				at[p.Point] /= goods.Parts[i].Quantity
			}
			if i > 0 {
				at[p.Point] = min(least, at[p.Point])
			}
		}
		made = at
	}
	return made
}

// atAll returns how many of goods can be made at all stock points together.
func (a *Activity) atAll(goods *ActivitySKU, units func(*ActivitySKU, *PointStock) int64) (sum int64) {
	for _, n := range a.made(goods, units) {
		sum += n
	}
	return sum
}

// StockOf returns the stock of goods by stock point; of a bundle, how many its parts make where all of them are.
func (a *Activity) StockOf(goods *ActivitySKU) []PointStock {
	if !goods.Bundle() {
		return goods.Stock
	}
	made := a.made(goods, func(_ *ActivitySKU, p *PointStock) int64 { return p.Total })
	stock := make([]PointStock, 0, len(made))
	for _, point := range slices.Sorted(maps.Keys(made)) {
		stock = append(stock, PointStock{Activity: a.ID, SKU: goods.SKU, Point: point, Total: made[point]})
	}
	return stock
}

// points returns the stock points that have goods.
func (a *Activity) points(goods *ActivitySKU) []string {
	stock := a.StockOf(goods)
	points := make([]string, len(stock))
	for i, p := range stock {
		points[i] = p.Point
	}
	return points
}

// Total returns how many units of goods the sale has had; of a bundle, how many its parts make.
func (a *Activity) Total(goods *ActivitySKU) (total int64) {
	for _, p := range a.StockOf(goods) {
		total += p.Total
	}
	return total
}

// required returns the fields that an order of goods must have: its own and the fields of its parts.
func (a *Activity) required(goods *ActivitySKU) catalogue.FieldNames {
	names := goods.RequiredFields
	if !goods.Bundle() {
		return names
	}
	for _, part := range a.stocked(goods) {
		for _, name := range part.RequiredFields {
			if !slices.Contains(names, name) {
				names = append(slices.Clip(names), name)
			}
		}
	}
	return names
}

// openBundle is openOf for a bundle: how many bundles could be ordered, each from a single stock point.
func (c *StockCache) openBundle(
	ctx context.Context, a *Activity, bundle *ActivitySKU, maxAge time.Duration, nowMS int64,
) (units int64, known bool) {
	left, err := c.At(ctx, a, bundle, maxAge)
	if err != nil || !left.Loaded {
		return 0, false
	}
	return a.atAll(bundle, left.openAt(nowMS)), true
}

// openAt returns how many units of a sku are open at a stock point.
func (r *Remaining) openAt(nowMS int64) func(*ActivitySKU, *PointStock) int64 {
	return func(g *ActivitySKU, p *PointStock) int64 { return r.open(g, p.Point, nowMS, false) }
}

// bundleMayComeBack is MayComeBack for a bundle: whether a stock point could make a bundle of the units that are open
// there and the units that unpaid orders hold.
func (r *Remaining) bundleMayComeBack(a *Activity, bundle *ActivitySKU, nowMS int64) bool {
	return a.atAll(bundle, func(g *ActivitySKU, p *PointStock) int64 {
		return max(p.Total-r.PaidAt(g.SKU, p.Point)-g.Waves.Closed(p.Point, nowMS), 0)
	}) > 0
}

// nextWaveOf returns when a stock point can next make a bundle that is sold out, and about how many: when each part
// that lacks open units there has had its next wave. planned is false while bundles are left, and without such waves.
func (r *Remaining) nextWaveOf(a *Activity, bundle *ActivitySKU, nowMS int64) (atMS, units int64, planned bool) {
	for point, n := range a.made(bundle, r.openAt(nowMS)) {
		if n > 0 {
			return 0, 0, false
		}
		at, made, found := r.nextWaveAt(a, bundle, point, nowMS)
		switch {
		case !found || planned && at > atMS:
		case planned && at == atMS:
			units += made
		default:
			atMS, units, planned = at, made, true
		}
	}
	return atMS, units, planned
}

// nextWaveAt is nextWaveOf for a bundle that is sold out at a stock point.
func (r *Remaining) nextWaveAt(
	a *Activity, bundle *ActivitySKU, point string, nowMS int64,
) (atMS, units int64, planned bool) {
	units = math.MaxInt64
	for i, g := range a.stocked(bundle) {
		need := bundle.Parts[i].Quantity
		n := g.Waves.Open(point, r.At(g.SKU, point), nowMS)
		if n < need {
			at, more, found := g.Waves.Next(point, nowMS)
			if !found {
				return 0, 0, false
			}
			atMS, n = max(atMS, at), n+more
		}
		units = min(units, n/need)
	}
	return atMS, max(units, 1), true
}

// bundleSoldOut returns the refusal of a bundle that no stock point can make.
func (s *Service) bundleSoldOut(ctx context.Context, a *Activity, bundle *ActivitySKU) *problem.Error {
	left, err := s.counts.At(ctx, a, bundle, soldOutFor)
	if err != nil {
		return problem.Errorf(order.CodeSoldOut, "Sold out.")
	}
	now := s.clock.NowMS()
	if at, _, planned := left.nextWaveOf(a, bundle, now); planned && at < a.EndsMS {
		return nextWave(at, now)
	}
	if left.bundleMayComeBack(a, bundle, now) {
		e := problem.Errorf(CodeSoldOutUnpaidPending, "Sold out; units of unpaid orders may become available again.")
		e.RefreshAfter = time.Second
		return e
	}
	return problem.Errorf(order.CodeSoldOut, "Sold out.")
}

// unbundle returns the parts of a bundle with their shares of its price, or the lines of another order.
func (a *Activity) unbundle(lines []orderLine) ([]orderLine, error) {
	if len(lines) != 1 || !lines[0].Bundle() {
		return lines, nil
	}
	bundle := &lines[0]
	goods := a.stocked(bundle.ActivitySKU)
	if len(goods) == 0 {
		return nil, fmt.Errorf("bundle %s of activity %s lacks a part", bundle.SKU, a.ID)
	}
	shares := catalogue.Shares(bundle.FlashPrice, bundle.portions(goods))
	parts := make([]orderLine, len(goods))
	for i, g := range goods {
		part := *g
		part.FlashPrice = shares[i]
		parts[i] = orderLine{&part, bundle.quantity * bundle.Parts[i].Quantity, bundle}
	}
	return parts, nil
}

// bundleOf returns the bundle whose parts the lines are, or nil.
func bundleOf(lines []orderLine) *orderLine { return lines[0].bundle }

// ordered returns what an order says of the bundle whose parts the lines are, or nil.
func ordered(lines []orderLine) *order.Bundle {
	b := bundleOf(lines)
	if b == nil {
		return nil
	}
	return &order.Bundle{SKU: b.SKU, Title: b.Title, Quantity: b.quantity, Price: b.FlashPrice}
}

// portions returns the parts of a bundle as catalogue.Shares takes them.
func (s *ActivitySKU) portions(parts []*ActivitySKU) []catalogue.Portion {
	portions := make([]catalogue.Portion, len(parts))
	for i, g := range parts {
		portions[i] = catalogue.Portion{Price: g.FlashPrice, Units: s.Parts[i].Quantity}
	}
	return portions
}

// CheckBundles returns why a sale can't sell its bundles; kinds are those that its skus were drafted with.
func (a *Activity) CheckBundles() error {
	for i := range a.SKUs {
		g := &a.SKUs[i]
		field := fmt.Sprintf("skus[%d]", i)
		switch {
		case g.Bundle():
			if err := a.checkBundle(g, field); err != nil {
				return err
			}
		case len(g.Stock) == 0:
			return problem.Invalid(field+".stock", "must have a stock point, unless the sku is a bundle")
		}
	}
	return nil
}

func (a *Activity) checkBundle(g *ActivitySKU, field string) error {
	switch {
	case len(g.Stock) > 0:
		return problem.Invalid(field+".stock", "must be absent: a bundle takes the units of its parts")
	case len(g.Waves) > 0:
		return problem.Invalid(field+".waves", "must be absent: the waves of its parts hold for a bundle")
	case len(g.Parts) < 2 || len(g.Parts) > lua.MaxParts:
		return problem.Invalid(field+".parts", "must be 2 to %d skus", lua.MaxParts)
	case a.OfferWithinS > 0 || a.Draws():
		return problem.Invalid("offer_within_s", "can't be used with a bundle (%s): it offers units of one sku", g.SKU)
	}
	var units int64
	for i, p := range g.Parts {
		field := fmt.Sprintf("%s.parts[%d].sku_id", field, i)
		part, ok := a.sku(p.SKU)
		switch {
		case !ok:
			return problem.Invalid(field, "must be a sku of this sale")
		case part.Bundle():
			return problem.Invalid(field, "is a bundle, which can't be a part")
		case slices.ContainsFunc(g.Parts[:i], func(had Part) bool { return had.SKU == p.SKU }):
			return problem.Invalid(field, "is given twice")
		case part.DraftedKind != g.DraftedKind:
			return problem.Invalid(field, "is of the kind %s, but the bundle of the kind %s", part.DraftedKind,
				g.DraftedKind)
		case part.PurchaseLimit != Unlimited && part.PurchaseLimit < p.Quantity:
			return problem.Invalid(field, "has the purchase limit %d, below the %d units in a bundle",
				part.PurchaseLimit, p.Quantity)
		}
		units += p.Quantity
	}
	switch {
	case a.PurchaseLimit != Unlimited && a.PurchaseLimit < units:
		return problem.Invalid("purchase_limit", "is below the %d units of a bundle (%s)", units, g.SKU)
	case g.DraftedKind == catalogue.Voucher && units > order.MaxVouchers:
		return problem.Invalid(field+".parts", "must be at most %d vouchers, as an order has", order.MaxVouchers)
	}
	if len(a.points(g)) == 0 {
		return problem.Invalid(field+".parts", "must have a stock point in common, from which the bundle comes")
	}
	portions := g.portions(a.stocked(g))
	if low := portions[catalogue.Lowest(portions)].Units; g.FlashPrice%low != 0 {
		below := g.FlashPrice / low * low
		return problem.Invalid(field+".flash_price", "must be a multiple of the lowest quantity of a part, %d, so "+
			"that it can be shared among its units: %s or %s", low, api.Money(below, g.Currency),
			api.Money(below+low, g.Currency))
	}
	return nil
}
