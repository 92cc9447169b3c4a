package drill

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"onrush/app/buyer"
	"onrush/app/operator"
	"onrush/modules/seckill"
	"onrush/web/client"
)

// The indexes of the sales beside the first one of the scenario wishes, since a sale can't have everything.
const (
	deskSale     = 1 // sells baskets and bundles, and has units set aside
	reservedSale = 2
	drawSale     = 3 // starts last

	sales = 4 // with the first one
)

// nth returns which visitor of a sale one is.
func nth(v Visitor) int { return v.Number / sales }

// besides reports whether the drill has the sales beside the first one.
func (r *run) besides() bool { return r.cfg.Scenario == Wishes && r.cfg.Sale == nil }

func (r *run) besideID(name string) string { return "drill-" + r.id + "-" + name }

// openBesides publishes the sales beside the first one: one that sells baskets and bundles, one that reserves units,
// and a draw, whose entries are closed while the crowd comes.
func (r *run) openBesides(ctx context.Context) error {
	all := len(r.plan.Visitors)
	ofUnits := max(all/8, 8)
	starts := r.sales[0].StartsAt
	desk := r.besideID("d")
	err := r.openBeside(ctx, desk, starts,
		object{"basket_max": 2, "purchase_limit": bundleUnits, "pay_grace_s": int(payGrace.Seconds())},
		stocked(desk, 700, ofUnits), stocked(plentyOf(desk), 800, all), stocked(giftOf(desk), 900, max(all/48, 1)),
		bundleOf(desk))
	if err == nil {
		err = r.openReserved(ctx, starts)
	}
	if err != nil {
		return err
	}
	closes := starts.Add(r.cfg.Over * 2 / 3)
	if least := time.Now().Add(early); closes.Before(least) {
		closes = least
	}
	lots := r.besideID("t")
	return r.openBeside(ctx, lots, closes, object{
		"mode": "draw", "offer_within_s": int(offerWithin.Seconds()), "purchase_limit": 1,
	}, stocked(lots, 700, ofUnits))
}

// stocked returns a sku of a sale with units at the default stock point.
func stocked(sku string, price, units int) object {
	return object{"sku_id": sku, "flash_price": price, "stock": []any{object{"point_id": "0", "quantity": units}}}
}

// openBeside publishes a sale with fields and skus of its own.
func (r *run) openBeside(ctx context.Context, id string, starts time.Time, fields object, skus ...object) error {
	var goods []any
	for _, sku := range skus {
		body := object{"title": "Drill", "shop_id": "drill", "kind": "virtual", "price": 2000, "currency": "EUR"}
		if err := r.put(ctx, fmt.Sprint("/admin/api/v1/skus/", sku["sku_id"]), body); err != nil {
			return fmt.Errorf("create a sku: %w", err)
		}
		goods = append(goods, sku)
	}
	fields["title"], fields["shop_id"], fields["skus"] = "Drill "+r.id, "drill", goods
	fields["pay_within_s"] = int(r.cfg.PayWithin.Seconds())
	s, err := r.open(ctx, &operator.SaleFile{ID: id, Publish: true, Fields: fields}, starts)
	if err == nil {
		r.sales = append(r.sales, s)
	}
	return err
}

// beside lets a visitor also come to a sale beside the first one: a quarter of them to each.
func (r *run) beside(ctx context.Context, v Visitor) {
	visits := [sales]func(*shopper, context.Context){
		deskSale: (*shopper).buyAtDesk, reservedSale: (*shopper).buyReserved, drawSale: (*shopper).takePart,
	}
	v.Sale, v.Orders = v.Number%sales, v.Orders[:1]
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

// buyAtDesk buys in the sale that sells baskets and bundles. Half of those who want a bundle pay at its deadline.
func (s *shopper) buyAtDesk(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	intent := s.plan.Orders[0]
	if wantsBundle(s.plan) && nth(s.plan)%8 == 1 {
		intent.Then = PayLate
	}
	a, ok := s.purchase(ctx, s.Name+"-basket", intent)
	if ok {
		s.followUp(ctx, a, intent)
	}
}

// basket returns the goods that a visitor of a sale wants instead of a sku: a bundle, or the sku and a unit of what
// there is plenty of.
func (s *sale) basket(v Visitor, g buyer.Goods) buyer.Goods {
	i := slices.IndexFunc(s.goods, func(g buyer.Goods) bool { return g.SKU == plentyOf(s.ActivityID) })
	switch {
	case s.BasketMax < 2 || i < 0:
		return g
	case wantsBundle(v):
		g.SKU, g.Price = setOf(s.ActivityID), bundlePrice
	case v.Choice%4 != 0:
		g.SKU, g.Price = g.SKU+","+s.goods[i].SKU, g.Price+s.goods[i].Price
	}
	return g
}

// isBasket reports whether goods are of several skus.
func isBasket(g buyer.Goods) bool { return strings.Contains(g.SKU, ",") }

// sameItems reports whether an order has the goods of an attempt, each sku once, and costs what its items cost.
func sameItems(a *attempt, o client.AdminOrder) bool {
	var cost int64
	takes, bundle := map[string]int64{}, ""
	for sku := range strings.SplitSeq(a.goods.SKU, ",") {
		takes[sku] = 1
	}
	if isBundle(a) {
		takes, bundle = map[string]int64{plentyOf(a.sale.ActivityID): bundleUnits - 1, giftOf(a.sale.ActivityID): 1},
			a.goods.SKU
	}
	for _, item := range o.Items {
		if takes[item.SKUID] != item.Quantity {
			return false
		}
		delete(takes, item.SKUID)
		cost += item.Quantity * item.Price
	}
	return len(takes) == 0 && o.Bundle.SKUID == bundle && cost == a.goods.Price && o.TotalAmount == cost+o.FreightAmount
}

// refusal names what the plan of wishes asks for if the refusal of an attempt is that, or returns "".
func (a *attempt) refusal() string {
	switch {
	case !isSoldOut(a.refused):
	case isBasket(a.goods):
		return noBasket
	case isBundle(a):
		return noBundle
	case a.sale.ReservedFor.List && a.refused == seckill.CodeSoldOutForNow.Name && !isMember(a.shopper.plan):
		return notReserved
	}
	return ""
}

// judgeDesk notes which baskets and bundles were ordered. That an order has all of its items, or none, the orders and
// the drift show.
func judgeDesk(attempts []*attempt, v *verdicts) {
	for _, a := range attempts {
		switch {
		case a.order == "":
		case isBasket(a.goods):
			v.exercised(checkWishes, aBasket)
		case isBundle(a):
			v.exercised(checkWishes, aBundle)
		}
	}
}

// What the plan of wishes asks for in the sale that sells baskets and bundles.
const (
	aBasket  = "a basket"
	noBasket = "a basket that is refused since one of its skus is sold out"
	aBundle  = "a bundle"
	noBundle = "a bundle that is refused since one of its parts is sold out"
)

// A bundle has all but one unit of what there is plenty of, and a unit of what is sold in bundles only.
const bundleUnits, bundlePrice = 3, 1500

func giftOf(sale string) string { return sale + "-g" }

func setOf(sale string) string { return sale + "-b" }

func bundleOf(sale string) object {
	return object{"sku_id": setOf(sale), "flash_price": bundlePrice, "purchase_limit": 1, "parts": []any{
		object{"sku_id": plentyOf(sale), "quantity": bundleUnits - 1}, object{"sku_id": giftOf(sale), "quantity": 1},
	}}
}

// wantsBundle reports whether a visitor of the sale that sells bundles wants one.
func wantsBundle(v Visitor) bool { return nth(v)%4 == 1 }

func isBundle(a *attempt) bool { return a.goods.SKU == setOf(a.sale.ActivityID) }
