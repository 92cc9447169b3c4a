package model

import (
	"strconv"

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
	left, inAll := m.left(of), int64(0)
	paid := m.counts(m.stores.Keys.Paid(of.lane, of.id))
	units := m.units(of, c, stored)
	for _, point := range points {
		field, at := lua.StockField(sku, point), stored.totals[of.id][point]
		u := units[point]
		// A load leaves fewer than none where a returned unit was sold again before its return was noted in SQL: the
		// return that is repeated makes up for it.
		m.require(left[field]+u.returning >= 0, "%d units are left at %s, and %+v", left[field], point, u)
		m.require(at.sold == u.sold, "SQL counts %d sold units at %s, its orders have %d", at.sold, point, u.sold)
		sum := left[field] + u.placed + u.sold + u.returning + u.changing
		m.require(at.total == sum, "at %s there are %d units: %d left, and %+v", point, at.total, left[field], u)
		m.require(paid[field] == u.confirmed, "Redis counts %d paid units, not %d", paid[field], u.confirmed)
		inAll += left[field]
	}
	m.require(left[sku] == inAll, "%d units are left, %d at all points", left[sku], inAll)
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

// units are the units of a sale at a point that are not left. Of those that are sold, Redis has confirmed some.
type units struct{ placed, sold, returning, changing, confirmed int64 }

// units adds up the units of the orders and changes of a sale.
func (m *model) units(of *sale, c cached, stored stored) map[string]units {
	sums := map[string]units{}
	add := func(point string, u units) {
		sum := sums[point]
		sums[point] = units{
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
		switch {
		case !ok:
			m.require(waiting[o.number], "order %s was accepted and is nowhere", o.number)
			add(o.point, units{placed: o.quantity})
		case counts(now.Status):
			add(o.point, units{sold: o.quantity})
			if !holds {
				add(o.point, units{confirmed: o.quantity})
			}
			m.require(holds || now.Status != order.Unpaid, "the unpaid order %s holds nothing", o.number)
		case holds:
			add(o.point, units{returning: o.quantity})
		}
		delete(waiting, o.number)
	}
	m.require(len(waiting) == 0, "the queue has orders that nobody placed: %v", waiting)
	for _, ch := range stored.changes {
		applied, err := strconv.ParseInt(c.changes[ch.ID], 10, 64) // not applied: absent, or refused
		switch {
		case ch.Activity != of.id || ch.State != "pending":
		case ch.Delta > 0 && err != nil:
			add(ch.Point, units{changing: ch.Delta})
		case ch.Delta < 0 && err == nil:
			add(ch.Point, units{changing: -applied})
		}
	}
	return sums
}

// checkTotals requires that each change of the stock counts once.
func (m *model) checkTotals(of *sale, stored stored) {
	want := map[string]int64{}
	for point, total := range of.totals {
		want[point] = total
	}
	ids, accepted := map[string]bool{}, 0
	for _, ch := range stored.changes {
		ids[ch.ID] = true
		if ch.stands() {
			accepted++
		}
		if ch.Activity == of.id && (ch.State == "done" || ch.State == "pending" && ch.Delta > 0) {
			want[ch.Point] += ch.Delta
		}
	}
	m.require(accepted <= len(m.changes), "SQL has %d changes, %d were asked for", accepted, len(m.changes))
	for _, c := range m.changes {
		m.require(c.id == "" || ids[c.id], "the change %s is gone", c.id)
	}
	for _, point := range points {
		at := stored.totals[of.id][point]
		m.require(at.total == want[point], "there are %d units at %s, not %d", at.total, point, want[point])
		m.require(at.sold >= 0 && at.sold <= at.total, "of %d units at %s, %d are sold", at.total, point, at.sold)
	}
}

// checkLimit requires that no buyer has more units than the limit of a sale.
func (m *model) checkLimit(of *sale, stored stored) {
	bought := map[string]int64{}
	for _, o := range m.orders {
		if now, ok := stored.orders[o.number]; o.sale == of && (!ok || counts(now.Status)) {
			bought[o.user] += o.quantity
		}
	}
	for user, units := range bought {
		m.require(units <= of.limit, "%s has %d units, over the limit of %d", user, units, of.limit)
	}
}
