package drill

import (
	"fmt"
	"slices"

	"onrush/modules/problem"
)

// judgePlan says what the plan asks for and what of it has happened: what never happened proves nothing.
func (r *run) judgePlan(f *facts, attempts []*attempt, counts map[string]int, v *verdicts) {
	codes, dropped := r.meter.Answers()
	has := func(suffixes ...string) bool {
		for _, suffix := range suffixes {
			if codes[suffix] > 0 {
				return true
			}
		}
		return false
	}
	soldOut := has("path:sold_out", "submit:sold_out", "path:sold_out_unpaid_pending", "submit:sold_out_unpaid_pending")
	limited := has("path:purchase_limit", "submit:purchase_limit")
	early := has("path:not_started", "line:not_started")
	waited, proved := has("path:line_required"), has("path:human_check_required")
	full := false
	for _, call := range []string{"submit:", "path:", "line:"} {
		full = full || has(call+problem.CodeOverloaded.Name, call+problem.CodeUnavailable.Name)
	}
	visitors := len(r.plan.Visitors)

	extended := slices.ContainsFunc(f.feed, func(e event) bool { return e.kind == "order.pay_extended" })
	offers, strangers := r.record.offers()
	crowd := r.cfg.Scenario != Trickle && r.cfg.Scenario != Soak
	r.happened(v, checkStock, "sold out", crowd && r.cfg.Sale == nil, soldOut)
	r.happened(v, checkLimits, "a buyer at the limit", r.plansMore(), limited)
	r.happened(v, checkGates, "visitors before the start", crowd, early)
	s := r.sales[0]
	r.happened(v, checkGates, "waiting room", s.hasRoom(), waited)
	r.happened(v, checkGates, "human check", s.hasHumanCheck(), proved)
	wishes := r.cfg.Scenario == Wishes
	r.happened(v, checkWishes, "units offered to a visitor who waits", wishes, offers > 0)
	r.happened(v, checkWishes, "a visitor who is not on the list", wishes, strangers > 0)
	r.happened(v, checkWishes, "a deadline that a payment extended", wishes, extended)
	for _, name := range []string{
		aBasket, noBasket, aBundle, noBundle, aReserved, notReserved, givenBack, aDraw, anAside,
	} {
		r.happened(v, checkWishes, name, r.besides(), counts[name] > 0)
	}
	r.happened(v, checkOrders, fmt.Sprintf("the visits of %d who found no room in the drill's process", dropped),
		dropped*100 > visitors, false)
	r.happened(v, checkGates, "a permit tried twice", r.plans(func(i Intent) bool { return i.Reuse }) &&
		s.PermitRatio != unlimited, counts["permit"] > 0)
	r.happened(v, checkGates, "forged notifications", true, counts["forged"] > 0)
	r.happened(v, checkGates, "a flood", r.floods(), counts["limited"] > 0)
	r.happened(v, checkGates, "requests for other visitors' orders", r.plans(func(Intent) bool { return true }),
		counts["intruded"] > 0)
	r.happened(v, checkLimits, "a purchase limit", true, v.checked[checkLimits] > 0)
	r.happened(v, checkOrders, "double clicks", r.plans(func(i Intent) bool { return i.Submit == Double }),
		counts["double"] > 0)
	r.happened(v, checkOrders, "cut connections", r.plans(func(i Intent) bool { return i.Submit == Cut }),
		counts["cut"] > 0)
	for _, fault := range r.cfg.Faults {
		r.happened(v, checkOrders, fault, true, counts[fault] > 0 && (fault != FullRedis || full))
	}
	r.happened(v, checkMoney, "payments in the program's sandbox", true, v.checked[checkMoney] > 0)
	pays := s.pays(r.cfg.Settle)
	planned, accepted := r.thens(), 0
	for _, a := range attempts {
		if a.order != "" {
			accepted++
		}
	}
	for _, act := range thens {
		// Among few orders a rare act may not happen; among these it has failed to.
		expected := planned[act.what] > 0 && act.percent*accepted >= 400 && (pays || !act.what.needsTime())
		r.happened(v, checkMoney, string(act.what), expected, counts["then:"+string(act.what)] > 0)
	}
}

func (r *run) happened(v *verdicts, check, name string, planned, happened bool) {
	if planned {
		v.want(check, name)
	}
	if happened {
		v.exercised(check, name)
	}
}

// plans reports whether so many orders of the plan are of a kind that some are surely placed.
func (r *run) plans(is func(Intent) bool) bool {
	const enough = 40 // a quarter of the visitors gets an order
	n := 0
	for _, v := range r.plan.Visitors {
		for _, i := range v.Orders {
			if is(i) {
				n++
			}
		}
	}
	return n >= enough && r.cfg.Scenario != Classic
}

// plansMore reports whether visitors of the plan want more than a limit allows.
func (r *run) plansMore() bool {
	limited, greedy := false, 0
	for _, s := range r.sales {
		limited = limited || s.PurchaseLimit != unlimited && s.PurchaseLimit <= ownLimit
	}
	for _, v := range r.plan.Visitors {
		if len(v.Orders) > ownLimit {
			greedy++
		}
	}
	return limited && greedy >= 20 && r.cfg.Scenario != Classic
}

// thens counts the plan's intentions.
func (r *run) thens() map[Then]int {
	n := map[Then]int{}
	for _, v := range r.plan.Visitors {
		for _, i := range v.Orders {
			n[i.Then]++
		}
	}
	return n
}
