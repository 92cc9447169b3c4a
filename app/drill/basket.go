package drill

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"onrush/app/buyer"
	"onrush/app/operator"
	"onrush/web/client"
)

// The indexes of the sales beside the first one of the scenario wishes, since a sale can't have everything.
const (
	deskSale = 1 // sells baskets, and has units set aside
	drawSale = 2
)

// besides reports whether the drill has the sales beside the first one.
func (r *run) besides() bool { return r.cfg.Scenario == Wishes && r.cfg.Sale == nil }

// openBesides publishes the sales beside the first one: one that sells baskets, and a draw, whose entries are closed
// while the crowd comes.
func (r *run) openBesides(ctx context.Context) error {
	ofUnits := max(len(r.plan.Visitors)/8, 8)
	starts := r.sales[0].StartsAt
	err := r.openBeside(ctx, "d", starts, object{"basket_max": 2, "purchase_limit": ownLimit}, ofUnits,
		len(r.plan.Visitors))
	if err != nil {
		return err
	}
	closes := starts.Add(r.cfg.Over * 2 / 3)
	if least := time.Now().Add(early); closes.Before(least) {
		closes = least
	}
	return r.openBeside(ctx, "t", closes, object{
		"mode": "draw", "offer_within_s": int(offerWithin.Seconds()), "purchase_limit": 1,
	}, ofUnits)
}

// openBeside publishes a sale with fields of its own that sells skus with some units each.
func (r *run) openBeside(ctx context.Context, name string, starts time.Time, fields object, units ...int) error {
	id := "drill-" + r.id + "-" + name
	skus := []any{}
	for i, n := range units {
		sku := []string{id, plentyOf(id)}[i]
		body := object{"title": "Drill", "shop_id": "drill", "kind": "virtual", "price": 2000, "currency": "EUR"}
		if err := r.put(ctx, "/admin/api/v1/skus/"+sku, body); err != nil {
			return fmt.Errorf("create a sku: %w", err)
		}
		skus = append(skus, object{
			"sku_id": sku, "flash_price": 700 + 100*i, "stock": []any{object{"point_id": "0", "quantity": n}},
		})
	}
	fields["title"], fields["shop_id"], fields["skus"] = "Drill "+r.id, "drill", skus
	fields["pay_within_s"] = int(r.cfg.PayWithin.Seconds())
	s, err := r.open(ctx, &operator.SaleFile{ID: id, Publish: true, Fields: fields}, starts)
	if err == nil {
		r.sales = append(r.sales, s)
	}
	return err
}

// beside lets a visitor also come to a sale beside the first one: a third of them to each.
func (r *run) beside(ctx context.Context, v Visitor) {
	visits := [3]func(*shopper, context.Context){deskSale: (*shopper).buyBasket, drawSale: (*shopper).takePart}
	v.Sale, v.Orders = v.Number%len(visits), v.Orders[:1]
	visit := visits[v.Sale]
	if !r.besides() || visit == nil {
		return
	}
	s, err := r.newShopper(ctx, v)
	if err != nil {
		r.record.problem(checkOrders, "a visitor has no token: %v", err)
		return
	}
	visit(s, ctx)
}

// buyBasket buys in the sale that sells baskets.
func (s *shopper) buyBasket(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	a, ok := s.purchase(ctx, s.Name+"-basket", s.plan.Orders[0])
	if ok {
		s.followUp(ctx, a, s.plan.Orders[0])
	}
}

// basket adds a unit of the sku that the sale has plenty of to the goods of most visitors, if the sale sells baskets.
func (s *sale) basket(v Visitor, g buyer.Goods) buyer.Goods {
	i := slices.IndexFunc(s.goods, func(g buyer.Goods) bool { return g.SKU == plentyOf(s.ActivityID) })
	if s.BasketMax < 2 || v.Choice%4 == 0 || i < 0 {
		return g
	}
	g.SKU, g.Price = g.SKU+","+s.goods[i].SKU, g.Price+s.goods[i].Price
	return g
}

// isBasket reports whether goods are of several skus.
func isBasket(g buyer.Goods) bool { return strings.Contains(g.SKU, ",") }

// sameItems reports whether an order has the goods of an attempt, each sku once, and costs what its items cost.
func sameItems(a *attempt, o client.AdminOrder) bool {
	var cost int64
	skus := strings.Split(a.goods.SKU, ",")
	for _, item := range o.Items {
		i := slices.Index(skus, item.SKUID)
		if i < 0 || item.Quantity != 1 {
			return false
		}
		skus = slices.Delete(skus, i, i+1)
		cost += item.Price
	}
	return len(skus) == 0 && cost == a.goods.Price && o.TotalAmount == cost+o.FreightAmount
}

// judgeBaskets notes what became of baskets. The orders and the drift show that an order has all of its basket, or
// none.
func judgeBaskets(attempts []*attempt, v *verdicts) {
	for _, a := range attempts {
		switch {
		case !isBasket(a.goods):
		case a.order != "":
			v.exercised(checkWishes, aBasket)
		case isSoldOut(a.refused):
			v.exercised(checkWishes, noBasket)
		}
	}
}

// What the plan of wishes asks for in the sale that sells baskets.
const (
	aBasket  = "a basket"
	noBasket = "a basket that is refused since one of its skus is sold out"
)
