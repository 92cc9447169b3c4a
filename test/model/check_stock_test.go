package model

import (
	"strconv"
	"strings"

	"onrush/lua"
	"onrush/modules/order"
)

// checkStock holds the units of a sale against each other, and against the program's own account.
func (m *model) checkStock(of *sale, stored stored) {
	m.checkTotals(of, stored)
	m.checkLimit(of, stored)
	c := m.cached(of)
	state := lua.ActivityState(c.meta["state"])
	if !state.Loaded() {
		return
	}
	left, inAll := m.left(of), map[string]int64{}
	paid := m.counts(m.stores.Keys.Paid(of.lane, of.id))
	units := m.units(of, c, stored)
	for _, field := range of.fields() {
		at, u := stored.totals[of.id][field], units[field]
		// A load leaves fewer than none where a returned unit was sold again before its return was noted in SQL: the
		// return that is repeated makes up for it.
		m.require(left[field]+u.returning >= 0, "%d units are left at %s, and %+v", left[field], field, u)
		m.require(at.sold == u.sold, "SQL counts %d sold units at %s, its orders have %d", at.sold, field, u.sold)
		sum := left[field] + u.placed + u.sold + u.returning + u.changing
		m.require(at.total == sum, "at %s there are %d units: %d left, and %+v", field, at.total, left[field], u)
		m.require(paid[field] == u.confirmed, "Redis counts %d paid units, not %d", paid[field], u.confirmed)
		goods, _, _ := strings.Cut(field, "~")
		inAll[goods] += left[field]
	}
	for goods, sum := range inAll {
		m.require(left[goods] == sum, "%d units of %s are left, %d at all points", left[goods], goods, sum)
	}
	m.require(left[bundle] == 0, "a bundle has a stock of %d", left[bundle])
	for number := range c.held {
		o := m.find(number)
		m.require(o != nil && o.sale == of, "the hold of %s is of no order", number)
	}
	audit, err := m.instances[m.checks%len(m.instances)].Server.Auditor.Audit(m.background(), of.id)
	m.ok(err, "audit")
	for _, item := range audit.Items {
		m.require(item.Drift == 0, "the audit finds a drift: %+v", item)
	}
	m.require(audit.BoughtWrong == 0 && audit.HoldsMissing == 0, "the audit finds wrong counts or holds: %+v", audit)
}

// units are the units of a sku of a sale at a point that are not left. Redis has confirmed some of the sold ones.
type units struct{ placed, sold, returning, changing, confirmed int64 }

// units adds up the units of the orders and changes of a sale.
func (m *model) units(of *sale, c cached, stored stored) map[string]units {
	sums := map[string]units{}
	add := func(field string, u units) {
		sum := sums[field]
		sums[field] = units{
			sum.placed + u.placed, sum.sold + u.sold, sum.returning + u.returning, sum.changing + u.changing,
			sum.confirmed + u.confirmed,
		}
	}
	waiting := map[string]bool{}
	for _, number := range c.waiting {
		waiting[number] = true
	}
	for _, o := range m.orders {
		if o.sale != of {
			continue
		}
		now, ok := stored.orders[o.number]
		_, holds := c.held[o.number]
		m.require(ok || waiting[o.number], "order %s was accepted and is nowhere", o.number)
		m.require(!ok || holds || now.Status != order.Unpaid, "the unpaid order %s holds nothing", o.number)
		for goods, n := range o.takes() {
			at := lua.StockField(goods, o.point)
			switch {
			case !ok:
				add(at, units{placed: n})
			case counts(now.Status) && holds:
				add(at, units{sold: n})
			case counts(now.Status):
				add(at, units{sold: n, confirmed: n})
			case holds:
				add(at, units{returning: n})
			}
		}
		delete(waiting, o.number)
	}
	m.require(len(waiting) == 0, "the queue has orders that nobody placed: %v", waiting)
	for _, ch := range stored.changes {
		applied, err := strconv.ParseInt(c.changes[ch.ID], 10, 64) // not applied: absent, or refused
		switch {
		case ch.Activity != of.id || ch.State != "pending":
		case ch.Delta > 0 && err != nil:
			add(ch.field(), units{changing: ch.Delta})
		case ch.Delta < 0 && err == nil:
			add(ch.field(), units{changing: -applied})
		}
	}
	return sums
}

// checkTotals requires that each change of the stock counts once.
func (m *model) checkTotals(of *sale, stored stored) {
	want := map[string]int64{}
	for field, total := range of.totals {
		want[field] = total
	}
	ids, accepted := map[string]bool{}, 0
	for _, ch := range stored.changes {
		ids[ch.ID] = true
		if ch.stands() {
			accepted++
		}
		if ch.Activity == of.id && (ch.State == "done" || ch.State == "pending" && ch.Delta > 0) {
			want[ch.field()] += ch.Delta
		}
	}
	m.require(accepted <= len(m.changes), "SQL has %d changes, %d were asked for", accepted, len(m.changes))
	for _, c := range m.changes {
		m.require(c.id == "" || ids[c.id], "the change %s is gone", c.id)
	}
	for _, field := range of.fields() {
		at := stored.totals[of.id][field]
		m.require(at.total == want[field], "there are %d units at %s, not %d", at.total, field, want[field])
		m.require(at.sold >= 0 && at.sold <= at.total, "of %d units at %s, %d are sold", at.total, field, at.sold)
	}
	m.require(len(stored.totals[of.id]) == len(want), "the sale has the stocks %v", stored.totals[of.id])
}

// checkLimit requires that no buyer has more units than the limit of a sale.
func (m *model) checkLimit(of *sale, stored stored) {
	bought := map[string]int64{}
	for _, o := range m.orders {
		if now, ok := stored.orders[o.number]; o.sale == of && (!ok || counts(now.Status)) {
			bought[o.user] += o.quantity()
		}
	}
	for user, units := range bought {
		m.require(units <= of.limit, "%s has %d units, over the limit of %d", user, units, of.limit)
	}
}
