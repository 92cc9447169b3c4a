package drill

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"onrush/app/buyer"
	"onrush/app/operator"
	"onrush/modules/loop"
	"onrush/web/client"
)

// aside is units that the operator of the drill has set aside. Its fields are guarded by the mutex of the record.
type aside struct {
	client.UnitHold

	number   int // in the order in which they were set aside
	order    string
	released bool
	unknown  bool // what became of it
}

const (
	asides     = 6
	asideUnits = 2
	desk       = "desk" // the room of the orders of units set aside
)

// setAside sets units aside before the sale that sells baskets, and keeps them, releases them, or orders one of them
// for a visitor, with two requests at once, when the entries of the draw are closed.
func (r *run) setAside(ctx context.Context) {
	if !r.besides() {
		return
	}
	buys, err := r.newShopper(ctx, Visitor{Sale: deskSale}) // visitor 0 comes to no sale beside the first one
	if err != nil {
		return
	}
	s := buys.sale
	holds := "/admin/api/v1/activities/" + s.ActivityID + "/holds"
	var all []*aside
	for i := range asides {
		a := &aside{number: i}
		body := client.UnitHoldRequest{SKUID: s.Skus[i%2].SKUID, PointID: "0", Quantity: asideUnits}
		err := r.operator.Call(ctx, http.MethodPost, holds, fmt.Sprint("aside-", s.ActivityID, i), body, &a.UnitHold)
		if err == nil {
			all = append(all, a)
		}
	}
	r.record.mu.Lock()
	r.record.asides = all
	r.record.mu.Unlock()
	if loop.Wait(ctx, time.Until(r.sales[drawSale].StartsAt)) != nil {
		return
	}
	var desks sync.WaitGroup
	for _, a := range all {
		desks.Go(func() {
			path := holds + "/" + url.PathEscape(a.HoldID)
			switch a.number % 3 { // the first and the fourth are of different skus: the buyer has one hold of each
			case 0:
				r.orderAside(ctx, buys, a, path+"/order")
			case 1:
				err := r.operator.Call(ctx, http.MethodDelete, path, "", nil, nil)
				r.record.mu.Lock()
				defer r.record.mu.Unlock()
				a.released = err == nil || operator.IsNotFound(err)
				a.unknown = !a.released
			}
		})
	}
	desks.Wait()
}

// orderAside orders a unit of those set aside for a visitor.
func (r *run) orderAside(ctx context.Context, who *shopper, a *aside, path string) {
	body := client.UnitHoldOrder{
		UserID: who.Name, Quantity: 1, ClientReference: who.Name, RoomID: desk,
	}
	var made [2]client.OrderedHold
	var errs [2]error
	var click sync.WaitGroup
	for n := range made {
		click.Go(func() {
			errs[n] = r.operator.Call(ctx, http.MethodPost, path, fmt.Sprint("aside-", a.HoldID, n), body, &made[n])
		})
	}
	click.Wait()
	var numbers []string
	for _, m := range made {
		if m.OrderNumber != "" {
			numbers = append(numbers, m.OrderNumber)
		}
	}
	slices.Sort(numbers)
	switch numbers = slices.Compact(numbers); {
	case len(numbers) == 2:
		r.record.problem(checkWishes, "what is set aside as %s has two orders, %s", a.HoldID, numbers)
	case len(numbers) == 0 && !r.cfg.AllowFailed && errors.As(errs[0], new(*operator.Refusal)):
		r.record.problem(checkWishes, "the order of what is set aside as %s is refused: %v", a.HoldID, errs[0])
	}
	r.record.mu.Lock()
	a.unknown = len(numbers) == 0
	if !a.unknown {
		a.order = numbers[0]
		r.record.owners[a.order] = who.Name
	}
	r.record.mu.Unlock()
	if a.order != "" {
		i := slices.IndexFunc(who.sale.goods, func(g buyer.Goods) bool { return g.SKU == a.SKUID })
		r.record.addAttempt(&attempt{
			sale: who.sale, shopper: who, key: "hold " + a.HoldID, goods: who.sale.goods[i], code: buyer.OK,
			order: a.order, then: Abandon, held: true,
		})
	}
}

// judgeAsides compares what was set aside with what the program still has set aside.
func (r *run) judgeAsides(f *facts, v *verdicts) {
	r.record.mu.Lock()
	defer r.record.mu.Unlock()
	listed, units := map[string]client.UnitHold{}, map[string]int64{}
	for _, h := range f.holds {
		listed[h.HoldID] = h
		units[h.SKUID] += h.Quantity
	}
	for _, a := range r.record.asides {
		v.checked[checkWishes]++
		h, has := listed[a.HoldID]
		switch gone := a.released || a.order != ""; {
		case a.unknown:
		case gone && has:
			v.problem(checkWishes, "what was set aside as %s is ordered or released, and still listed", a.HoldID)
		case !gone && h.Quantity != a.Quantity && !r.cfg.AllowFailed: // a failover may lose what Redis kept
			v.problem(checkWishes, "what was set aside as %s has %d units, of %d", a.HoldID, h.Quantity, a.Quantity)
		case a.order != "":
			v.exercised(checkWishes, anAside)
		}
	}
	if len(units) == 0 {
		return
	}
	for _, item := range f.audits[r.sales[deskSale].ActivityID].Items {
		if n := units[item.SKUID]; item.Offered != n {
			v.problem(checkWishes, "%d units of %s are set aside, and %d are kept", n, item.SKUID, item.Offered)
		}
	}
}

const anAside = "an order of units set aside"
