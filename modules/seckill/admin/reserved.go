package admin

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/waves"
)

// reservedBody are units of the stock of a sku that only the buyers of reserved_for get, by stock point.
type reservedBody []reservedPoint

type reservedPoint struct {
	Point    string `json:"point_id" validate:"omitempty,id"` // absent: the default point
	Quantity int64  `json:"quantity" validate:"required,min=1,max=1000000000"`
}

// plan returns the units in the order in which they are stored, without the time until which they are reserved; nil for
// none.
func (b *reservedBody) plan() waves.Plan {
	if b == nil || len(*b) == 0 {
		return nil
	}
	plan := make(waves.Plan, len(*b))
	for i, r := range *b {
		plan[i] = lua.Wave{Point: r.Point, Quantity: r.Quantity}
		if r.Point == "" {
			plan[i].Point = catalogue.DefaultPoint
		}
	}
	slices.SortStableFunc(plan, func(x, y lua.Wave) int { return strings.Compare(x.Point, y.Point) })
	return plan
}

// sorted returns the units as they are shown.
func (b *reservedBody) sorted() *reservedBody {
	sorted := showReserved(b.plan())
	return &sorted
}

func showReserved(p waves.Plan) reservedBody {
	shown := make(reservedBody, len(p))
	for i, w := range p {
		shown[i] = reservedPoint{w.Point, w.Quantity}
	}
	return shown
}

// checkReserved completes and checks the reserved units of a draft.
func checkReserved(a *seckill.Activity) error {
	a.ReserveUnits()
	var checks problem.Checks
	for i := range a.SKUs {
		a.SKUs[i].CheckReserved(&checks, fmt.Sprintf("skus[%d].reserved", i))
	}
	if err := checks.Err(); err != nil {
		return err
	}
	return a.CheckReserved()
}

// changeReserved changes the reserved units of a sku of a published sale, which has a stock; field is its name. A plan
// that is not changed may be larger than a stock that was lowered since.
func changeReserved(
	checks *problem.Checks, field string, g *seckill.ActivitySKU, to *waves.Plan, stock []seckill.PointStock,
) {
	same := func(x, y lua.Wave) bool { return x.Point == y.Point && x.Quantity == y.Quantity }
	if to != nil && !slices.EqualFunc(*to, g.Reserved, same) {
		g.Reserved = *to
		of := *g
		of.Stock = stock
		of.CheckReserved(checks, field+".reserved")
	}
}

// reservable returns the reserved units of a sku, at most as many as the stock has.
func reservable(g seckill.ActivitySKU) (plan waves.Plan) {
	for _, w := range g.Reserved {
		for _, p := range g.Stock {
			if p.Point == w.Point && p.Total > 0 {
				w.Quantity = min(w.Quantity, p.Total)
				plan = append(plan, w)
			}
		}
	}
	return plan
}

// reservation is what a published sale reserved before a change.
type reservation struct {
	who   eligible.Settings // nobody if it reserved nothing any more
	units map[string]int64  // by stock field
}

func reservationOf(a *seckill.Activity, nowMS int64) reservation {
	r := reservation{units: map[string]int64{}}
	if a.Reserved.At(nowMS) {
		r.who = a.Reserved.Who()
	}
	for i := range a.SKUs {
		for _, w := range a.SKUs[i].Reserved {
			r.units[lua.StockField(a.SKUs[i].SKU, w.Point)] = w.Quantity
		}
	}
	return r
}

// keepsSome refuses a change after which nothing would be reserved at a stock point though the plan has units of it:
// the orders of all for whom units were reserved since the sale was published count.
func (r reservation) keepsSome(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity, nowMS int64) error {
	if !a.Reserved.At(nowMS) {
		return nil
	}
	same := reflect.DeepEqual(r.who, a.Reserved.Who())
	for _, g := range a.SKUs {
		for _, w := range g.Reserved {
			if same && r.units[lua.StockField(g.SKU, w.Point)] == w.Quantity {
				continue
			}
			var ordered int64
			const query = `SELECT COALESCE(SUM(n), 0) FROM activity_counts
				WHERE activity_id = ? AND counted = ? AND name = ?`
			if err := tx.GetContext(ctx, &ordered, query, a.ID, lua.CountedReserved(g.SKU), w.Point); err != nil {
				return fmt.Errorf("select how many of the reserved units of %s are ordered: %w", a.ID, err)
			}
			if w.Quantity <= ordered {
				return problem.Invalid("reserved_for", "would keep no unit of %s at the stock point %s: buyers for "+
					"whom units were reserved have ordered %d already; add these to the %d, or leave the point out",
					g.SKU, w.Point, ordered, w.Quantity)
			}
		}
	}
	return nil
}
