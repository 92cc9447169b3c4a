package drill

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// judge compares what visitors saw with what the program says.
func (r *run) judge(f *facts, v *verdicts) {
	attempts, payments, counts := r.record.all()
	for _, p := range promises {
		r.record.mu.Lock()
		v.problems[p.check] = slices.Clone(r.record.problems[p.check])
		r.record.mu.Unlock()
		if len(v.problems[p.check]) == 0 {
			delete(v.problems, p.check)
		}
	}
	r.judgeOrders(f, attempts, v)
	r.judgeUnits(f, attempts, v)
	judgeMoney(f, payments, v)
	judgeEvents(f, v)
	r.gates.check(r.sales, v)
	r.judgePlan(attempts, counts, v)
	for _, s := range r.sales {
		judgeDrift(f.audits[s.ID], v)
	}
	v.checked[checkLists] += counts["walks"]
	v.checked[checkGates] += counts["permit"] + counts["forged"] + counts["limited"]
}

// judgeOrders compares accepted orders with those in SQL, with their tasks, and with the lists of their buyers.
func (r *run) judgeOrders(f *facts, attempts []*attempt, v *verdicts) {
	stored, accepted := map[string]storedOrder{}, map[string]*attempt{}
	for _, o := range f.orders {
		if _, twice := stored[o.Number]; twice {
			v.problem(checkOrders, "order %s is stored twice", o.Number)
		}
		stored[o.Number] = o
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
			v.problem(checkOrders, "order %s of %s is stored, and no submit was answered with it", number, o.User)
		}
	}
	for user, numbers := range f.lists {
		sorted := slices.Clone(numbers)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != len(numbers) {
			v.problem(checkOrders, "%s sees an order twice in %v", user, numbers)
		}
	}
}

func (r *run) judgeOrder(a *attempt, stored map[string]storedOrder, f *facts, v *verdicts) {
	o, has := stored[a.order]
	switch {
	case !has:
		v.problem(checkOrders, "order %s of %s was accepted and is not stored", a.order, a.shopper.Name)
		return
	case o.User != a.shopper.Name || len(o.Items) != 1 || o.Items[0].SKU != a.goods.sku || o.Items[0].Quantity != 1:
		v.problem(checkOrders, "order %s is stored as another order", a.order)
	case a.outcome == "":
		v.problem(checkOrders, "the task of order %s, which is stored, has no outcome", a.order)
	case (a.outcome == "FAILED") != (o.Status == "failed"):
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

// judgeUnits compares the units of orders with the stock and with the purchase limits.
func (r *run) judgeUnits(f *facts, attempts []*attempt, v *verdicts) {
	sold, bought := map[string]int64{}, map[string]int64{}
	for _, o := range f.orders {
		if o.Status == "failed" || o.Status == "cancelled" {
			continue
		}
		for _, item := range o.Items {
			sold[o.Activity+" "+item.SKU+" at "+o.Point] += item.Quantity
			bought[o.Activity+" "+o.User] += item.Quantity
			bought[o.Activity+" "+o.User+" "+item.SKU] += item.Quantity
		}
	}
	users := map[string]bool{}
	for _, a := range attempts {
		users[a.sale.ID+" "+a.shopper.Name] = true
	}
	for _, s := range r.sales {
		for _, item := range f.audits[s.ID].Items {
			v.checked[checkStock]++
			if n := sold[s.ID+" "+item.SKU+" at "+item.Point]; n > item.Total {
				v.problem(checkStock, "%d units of %s are sold at %s, of %d", n, item.SKU, item.Point, item.Total)
			}
		}
		for user := range users {
			v.checked[checkLimits]++
			if n := bought[user]; s.Limit != unlimited && n > s.Limit {
				v.problem(checkLimits, "%s has %d units, of %d", user, n, s.Limit)
			}
			for _, sku := range s.SKUs {
				if n := bought[user+" "+sku.ID]; sku.Limit != unlimited && n > sku.Limit {
					v.problem(checkLimits, "%s has %d units of %s, of %d", user, n, sku.ID, sku.Limit)
				}
			}
		}
	}
}

// judgeMoney compares, for each order, what came in at the gateway with what is back there and what the order keeps.
func judgeMoney(f *facts, payments []*payment, v *verdicts) {
	type account struct{ in, back, keeps int64 }
	orders := map[string]storedOrder{}
	for _, o := range f.orders {
		orders[o.Number] = o
	}
	done := map[string]int64{} // by payment: refunds that the program says are done
	for _, refund := range f.refunds {
		if refund.Status == "done" {
			done[refund.Payment] += refund.Amount
		}
	}
	accounts := map[string]*account{}
	for _, p := range payments {
		v.checked[checkMoney]++
		state, order := f.payments[p.number], orders[p.orders[0]]
		if accounts[order.Number] == nil {
			accounts[order.Number] = &account{}
			if order.Status == "paid" || order.Status == "refunded" {
				accounts[order.Number].keeps = order.Total - order.Refunded
			}
		}
		var in, back int64
		for _, n := range state.Notifications {
			if n.Type == "payment.succeeded" {
				in += n.Amount
				back += n.Refunded
			}
		}
		if back != done[p.number] {
			v.problem(checkMoney, "%d are back from payment %s at the gateway, and %d by the refunds", back, p.number,
				done[p.number])
		}
		accounts[order.Number].in += in
		accounts[order.Number].back += back
	}
	for number, a := range accounts {
		if a.in != a.back+a.keeps {
			v.problem(checkMoney, "order %s is %s: %d came, %d went back, it keeps %d", number, orders[number].Status,
				a.in, a.back, a.keeps)
		}
	}
	for number, o := range orders {
		if o.Status == "paid" && o.Total > 0 && accounts[number] == nil {
			v.problem(checkMoney, "order %s is paid, and nobody paid it", number)
		}
	}
}

// judgeDrift reads an audit.
func judgeDrift(a *audit, v *verdicts) {
	for _, item := range a.Items {
		v.checked[checkDrift]++
		if item.Drift != 0 {
			v.problem(checkDrift, "%s at %s has drift %d", item.SKU, item.Point, item.Drift)
		}
		if item.Remaining < 0 {
			v.problem(checkStock, "%s at %s has %d units left", item.SKU, item.Point, item.Remaining)
		}
	}
	for _, total := range a.Totals {
		if total.Drift != 0 {
			v.problem(checkDrift, "%s has drift %d in total", total.SKU, total.Drift)
		}
	}
	if a.BoughtWrong > 0 {
		v.problem(checkDrift, "%d counts of what buyers bought are wrong", a.BoughtWrong)
	}
}

// judgeEvents compares the events of each order with what became of it, and the feed as it was followed with the feed
// as it is.
func judgeEvents(f *facts, v *verdicts) {
	byOrder := map[string][]event{}
	refunds := map[string]int{}
	last := int64(0)
	for _, e := range f.feed {
		id, _ := strconv.ParseInt(e.ID, 10, 64)
		if id <= last {
			v.problem(checkEvents, "event %s comes after %d", e.ID, last)
		}
		last = id
		if e.Data.Order != nil {
			byOrder[e.Data.Order.Number] = append(byOrder[e.Data.Order.Number], e)
		}
		if e.Type == "refund.done" && e.Data.Refund != nil {
			refunds[e.Data.Refund.Number]++
		}
		if _, got := f.followed[e.ID]; !got {
			v.problem(checkEvents, "a reader with a cursor did not get event %s %s", e.ID, e.Type)
		}
	}
	if f.missed {
		v.problem(checkEvents, "the feed says that a reader has missed events")
	}
	if len(f.followed) > len(f.feed) {
		v.problem(checkEvents, "%d events are gone that a reader with a cursor got", len(f.followed)-len(f.feed))
	}
	operators := map[string]int{} // refunds by order that operators asked for
	for _, r := range f.refunds {
		if r.Reason == "operator" {
			operators[r.Order]++
		}
		if _, ours := f.payments[r.Payment]; ours && r.Status == "done" && refunds[r.Number] != 1 {
			v.problem(checkEvents, "refund %s is done and has %d events", r.Number, refunds[r.Number])
		}
	}
	for _, o := range f.orders {
		judgeEventsOf(o, byOrder[o.Number], operators[o.Number], v)
	}
}

// rank is the place of an event among those of its order.
var rank = map[string]int{
	"order.placed": 1, "order.failed": 2, "order.paid": 2, "order.cancelled": 2, "order.vouchers_given": 3,
	"order.refunded": 4,
}

func judgeEventsOf(o storedOrder, events []event, refunds int, v *verdicts) {
	count := map[string]int{}
	for i, e := range events {
		v.checked[checkEvents]++
		count[e.Type]++
		if i > 0 && rank[e.Type] < rank[events[i-1].Type] {
			v.problem(checkEvents, "%s of order %s comes after %s", e.Type, o.Number, events[i-1].Type)
		}
	}
	want := map[string]int{"order.placed": 1}
	switch o.Status {
	case "paid", "refunded":
		want["order.paid"] = 1
	case "cancelled":
		want["order.cancelled"] = 1
	case "failed":
		want = map[string]int{"order.failed": 1}
	}
	if refunds > 0 {
		want["order.refunded"] = refunds
	}
	for _, kind := range slices.Sorted(maps.Keys(rank)) {
		if kind != "order.vouchers_given" && cmp.Compare(count[kind], want[kind]) != 0 {
			v.problem(checkEvents, "order %s, which is %s, has %d events %s, not %d", o.Number, o.Status, count[kind],
				kind, want[kind])
		}
	}
}
