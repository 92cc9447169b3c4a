package drill

import (
	"context"
	"fmt"
	"time"

	"onrush/app/drill/units"
	"onrush/app/operator"
	"onrush/modules/loop"
	"onrush/modules/seckill"
)

// isMember reports whether a visitor is one of those for whom units of a sale beside the first one are reserved.
func isMember(v Visitor) bool { return v.Number%sales == reservedSale && nth(v)%4 == 0 }

// openReserved publishes the sale with reserved units: one for each member, and some that are left when everybody may
// buy them. As many again are open from the start.
func (r *run) openReserved(ctx context.Context, starts time.Time) error {
	members := 0
	for _, v := range r.plan.Visitors {
		if isMember(v) {
			members++
		}
	}
	until := starts.Add(min(max(r.cfg.Over*2/3, 2*listedAfter), patience/2))
	reserved, id := members+max(members/2, 2), r.besideID("r")
	goods := stocked(id, 700, reserved+max(members, 2))
	goods["reserved"] = []any{object{"point_id": "0", "quantity": reserved}}
	err := r.openBeside(ctx, id, starts, object{
		"purchase_limit": 1,
		"reserved_for":   object{"list": true, "until": until.UTC().Format(operator.TimeFormat)},
	}, goods)
	if err != nil {
		return err
	}
	return r.listBuyers(ctx, id, isMember)
}

// buyReserved buys in the sale with reserved units. Every fourth visitor who finds nothing but those comes again when
// they are given back, and so does a member while the sale doesn't know its list.
func (s *shopper) buyReserved(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	until := s.sale.ReservedFor.Until
	for try := 0; ; try++ {
		a, ok := s.purchase(ctx, fmt.Sprintf("%s-reserved-%d", s.Name, try), s.plan.Orders[0])
		early := time.Now().Before(until.Add(-clocks))
		switch {
		case ok:
			s.followUp(ctx, a, s.plan.Orders[0])
			return
		case isMember(s.plan) && early && isSoldOut(a.refused) && a.path == "" && !s.run.cfg.AllowFailed:
			s.run.record.problem(checkWishes, "units are reserved for %s, and a path is refused: %s", s.Name, a.refused)
			return
		case a.refused != seckill.CodeSoldOutForNow.Name:
			return
		}
		wait := lookEvery
		if !isMember(s.plan) {
			wait = time.Until(until) + time.Duration(s.plan.Choice%uint64(clocks))
		}
		if nth(s.plan)%4 > 1 || loop.Wait(ctx, wait) != nil {
			return
		}
	}
}

// judgeReserved compares the orders of those for whom no units are reserved with the units that were open to them.
func (r *run) judgeReserved(f *facts, attempts []*attempt, v *verdicts) {
	if len(r.sales) <= reservedSale || len(r.sales[reservedSale].Skus) == 0 {
		return
	}
	s := r.sales[reservedSale]
	members, until := map[string]bool{}, s.ReservedFor.Until
	for _, a := range attempts {
		members[a.shopper.Name] = members[a.shopper.Name] || isMember(a.shopper.plan)
	}
	for _, of := range s.Skus[0].Reserved {
		sold := func(before time.Time, by func(string) bool) int64 {
			return units.Before(before, f.orders, s.ActivityID, s.Skus[0].SKUID, of.PointID, by)
		}
		stranger := func(user string) bool { return !members[user] }
		open := s.Skus[0].Stock[0].Quantity - of.Quantity
		v.checked[checkWishes]++
		if most := sold(until, stranger); most > open && f.sales[s.ActivityID].Version == s.Version {
			v.problem(checkWishes, "%d units are sold to buyers for whom none are reserved, of %d until %s", most, open,
				until)
		}
		if sold(until, nil) > open {
			v.exercised(checkWishes, aReserved)
		}
	}
	for _, o := range f.orders {
		if o.ActivityID == s.ActivityID && !members[o.UserID] && !o.PlacedAt.Before(until) {
			v.exercised(checkWishes, givenBack)
		}
	}
}

// What the plan of wishes asks for in the sale with reserved units.
const (
	aReserved   = "an order of reserved units"
	notReserved = "a visitor who is refused since the units left are reserved"
	givenBack   = "an order of units that were reserved before"
)
