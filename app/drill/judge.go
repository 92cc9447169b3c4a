package drill

import (
	"slices"
	"time"

	"onrush/app/drill/units"
	"onrush/web/client"
)

// judge compares what visitors saw with what the program says.
func (r *run) judge(f *facts, v *verdicts) {
	attempts, payments, counts := r.record.all()
	r.record.mu.Lock()
	asked := slices.Clone(r.record.refunds)
	r.record.mu.Unlock()
	r.judgeOrders(f, attempts, v)
	r.judgeUnits(f, attempts, v)
	r.judgeWishes(f, attempts, v)
	judgeDesk(attempts, v)
	r.judgeReserved(f, attempts, v)
	r.judgeDraw(f, v)
	r.judgeAsides(f, v)
	judgeMoney(f, payments, v)
	judgeRefunds(f, asked, v)
	judgeEvents(f, v)
	r.gates.check(r.sales, v)
	r.judgePlan(f, attempts, counts, v)
	for _, s := range r.sales {
		judgeDrift(f.audits[s.ActivityID], v)
	}
	v.checked[checkLists] += counts["walks"]
	v.checked[checkGates] += counts["permit"] + counts["forged"] + counts["limited"] + counts["intruded"]
}

// judgeOrders compares accepted orders with those in SQL, with their tasks, and with the lists of their buyers.
func (r *run) judgeOrders(f *facts, attempts []*attempt, v *verdicts) {
	stored, accepted := map[string]client.AdminOrder{}, map[string]*attempt{}
	for _, o := range f.orders {
		if _, twice := stored[o.OrderNumber]; twice {
			v.problem(checkOrders, "order %s is stored twice", o.OrderNumber)
		}
		stored[o.OrderNumber] = o
	}
	unknown := 0
	for _, a := range attempts {
		if a.unknown() {
			unknown++
		}
		if a.order == "" {
			continue
		}
		v.checked[checkOrders]++
		for _, other := range a.others {
			v.problem(checkOrders, "key %s has two orders, %s and %s", a.key, a.order, other)
		}
		if other := accepted[a.order]; other != nil {
			v.problem(checkOrders, "order %s has two keys, %s and %s", a.order, a.key, other.key)
		}
		accepted[a.order] = a
		r.judgeOrder(a, stored, f, v)
	}
	for number, o := range stored {
		if accepted[number] == nil && unknown == 0 {
			v.problem(checkOrders, "order %s of %s is stored, and no submit was answered with it", number, o.UserID)
		}
	}
	for user, numbers := range f.lists {
		for _, number := range numbers {
			if o, has := stored[number]; has && o.UserID != user {
				v.problem(checkOrders, "%s sees order %s of %s", user, number, o.UserID)
			}
		}
		sorted := slices.Clone(numbers)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != len(numbers) {
			v.problem(checkOrders, "%s sees an order twice in %v", user, numbers)
		}
	}
}

func (r *run) judgeOrder(a *attempt, stored map[string]client.AdminOrder, f *facts, v *verdicts) {
	o, has := stored[a.order]
	switch {
	case !has:
		v.problem(checkOrders, "order %s of %s was accepted and is not stored", a.order, a.shopper.Name)
		return
	case !r.sameOrder(a, o):
		v.problem(checkOrders, "order %s is stored as another order", a.order)
	case a.quoted != nil && *a.quoted != o.TotalAmount:
		v.problem(checkMoney, "order %s was confirmed for %d and costs %d", a.order, *a.quoted, o.TotalAmount)
	case a.paidInTime(o) && o.Status != "paid" && o.Status != "refunded":
		v.problem(checkMoney, "order %s was paid in time and is %s", a.order, o.Status)
	case !a.cancelled.IsZero() && (o.Status != "cancelled" || o.CancelledAt.After(a.cancelled.Add(clocks))):
		v.problem(checkOrders, "order %s was cancelled by its buyer and is %s %s", a.order, o.Status, o.CancelReason)
	case a.outcome == "" && !a.held:
		v.problem(checkOrders, "the task of order %s, which is stored, has no outcome", a.order)
	case !a.held && (a.outcome == "FAILED") != (o.Status == "failed"):
		v.problem(checkOrders, "order %s is %s, and its task %s", a.order, o.Status, a.outcome)
	case o.Status == "failed" && !r.cfg.AllowFailed:
		v.problem(checkStock, "order %s was accepted and then failed: %s", a.order, a.reason)
	}
	if !slices.Contains(f.lists[a.shopper.Name], a.order) {
		v.problem(checkOrders, "%s doesn't see order %s", a.shopper.Name, a.order)
	}
	if o.PlacedAt.Before(a.sale.StartsAt) || !o.PlacedAt.Before(a.sale.EndsAt) {
		v.problem(checkGates, "order %s was placed at %s, outside of the sale", a.order, o.PlacedAt)
	}
}

// clocks is by how much the clocks of the program and of the drill may differ.
const clocks = units.Clocks

// paidInTime reports whether the buyer heard before the deadline of the order that the payment had succeeded.
func (a *attempt) paidInTime(o client.AdminOrder) bool {
	deadline := o.PlacedAt.Add(time.Duration(a.sale.PayWithinS)*time.Second - clocks)
	return !a.paid.IsZero() && a.paid.Before(deadline)
}

// sameOrder reports whether SQL has an order as its buyer submitted it.
func (r *run) sameOrder(a *attempt, o client.AdminOrder) bool {
	if o.UserID != a.shopper.Name || o.ClientReference != a.shopper.Name {
		return false
	}
	// In a sale that the drill didn't make, it doesn't know which point serves a region.
	if r.cfg.Sale == nil && o.PointID != a.goods.Point {
		return false
	}
	return sameItems(a, o)
}

// judgeUnits compares the units of orders with the stock and with the purchase limits. It takes the highest number at
// any moment: an order too many may have been cancelled since.
func (r *run) judgeUnits(f *facts, attempts []*attempt, v *verdicts) {
	sold, bought, failed := units.Holdings{}, units.Holdings{}, map[string]bool{}
	for _, o := range f.orders {
		if o.Status == "failed" {
			failed[o.ActivityID] = true
			continue
		}
		for _, item := range o.Items {
			sold.Add(o.ActivityID+" "+item.SKUID+" at "+o.PointID, o, item.Quantity)
			bought.Add(o.ActivityID+" "+o.UserID, o, item.Quantity)
			bought.Add(o.ActivityID+" "+o.UserID+" "+item.SKUID, o, item.Quantity)
		}
		bought.Add(o.ActivityID+" "+o.UserID+" "+o.Bundle.SKUID, o, o.Bundle.Quantity)
	}
	users := map[string]map[string]bool{} // by sale
	for _, a := range attempts {
		if users[a.sale.ActivityID] == nil {
			users[a.sale.ActivityID] = map[string]bool{}
		}
		users[a.sale.ActivityID][a.shopper.Name] = true
	}
	for _, s := range r.sales {
		for _, item := range f.audits[s.ActivityID].Items {
			v.checked[checkStock]++
			most, now := sold.Of(s.ActivityID + " " + item.SKUID + " at " + item.PointID)
			if f.sales[s.ActivityID].Version != s.Version { // an operator changed the sale meanwhile
				most = now
			}
			if most > item.Total {
				v.problem(checkStock, "%d units of %s are sold at %s, of %d", most, item.SKUID, item.PointID,
					item.Total)
			}
			left := item.Remaining + item.Offered + item.Returning + item.Changing
			if left+now != item.Total && !failed[s.ActivityID] { // SQL never had the units of those that failed
				v.problem(checkDrift, "%s at %s has %d units left and %d in orders, of %d", item.SKUID, item.PointID,
					left, now, item.Total)
			}
		}
		for user := range users[s.ActivityID] {
			judgeLimit(bought, s.ActivityID+" "+user, s.PurchaseLimit, v)
			for _, sku := range s.Skus {
				judgeLimit(bought, s.ActivityID+" "+user+" "+sku.SKUID, sku.PurchaseLimit, v)
			}
		}
	}
}

// judgeLimit compares what a buyer has with a purchase limit, if there is one.
func judgeLimit(bought units.Holdings, of string, limit int64, v *verdicts) {
	if limit == unlimited {
		return
	}
	v.checked[checkLimits]++
	if n, _ := bought.Of(of); n > limit {
		v.problem(checkLimits, "%s has %d units, of %d", of, n, limit)
	}
}

// judgeDrift reads an audit.
func judgeDrift(a *client.Audit, v *verdicts) {
	for _, item := range a.Items {
		v.checked[checkDrift]++
		if item.Drift != 0 {
			v.problem(checkDrift, "%s at %s has drift %d", item.SKUID, item.PointID, item.Drift)
		}
		if item.Remaining < 0 {
			v.problem(checkStock, "%s at %s has %d units left", item.SKUID, item.PointID, item.Remaining)
		}
	}
	for _, total := range a.Totals {
		if total.Drift != 0 {
			v.problem(checkDrift, "%s has drift %d in total", total.SKUID, total.Drift)
		}
	}
	if a.BoughtWrong > 0 {
		v.problem(checkDrift, "%d counts of what buyers bought are wrong", a.BoughtWrong)
	}
}
