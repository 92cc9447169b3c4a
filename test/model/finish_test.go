package model

import (
	"time"

	"onrush/modules/order"
)

// finish does all remaining work, without faults: then nothing may wait any more.
func (m *model) finish() {
	m.faults.disarm()
	s := m.instances[0]
	for _, of := range m.sales {
		if !m.loaded(of) && !m.retired(of) {
			m.reload(s, of)
		}
	}
	s.Job(m, "preheat") // fills the tasks that are left
	for _, o := range m.orders {
		if o.record != "" {
			m.mend(s, o)
		}
	}
	for _, in := range m.money {
		if !in.heard {
			m.notify(s, in, in.sent.Event)
		}
	}
	m.clock.Advance(3 * time.Hour) // after all times to pay, and all waits of refunds
	for range 2 {
		s.Drain(m)
		s.Job(m, "query_payments")
		s.Job(m, "cancel_unpaid")
		s.Job(m, "settle_stock")
		s.Job(m, "send_refunds")
	}
	s.Job(m, "retire_activities")
	m.Check(nil)
	m.checkFinished()
}

// checkFinished requires that every order is decided, every unit is in its place, and all money is goods or back.
func (m *model) checkFinished() {
	stored := m.stored()
	for _, o := range m.orders {
		status := stored.orders[o.number].Status
		m.require(status != "" && status != order.Unpaid, "order %s is still %q", o.number, status)
	}
	for _, of := range m.sales {
		c := m.cached(of)
		m.require(len(c.waiting) == 0 && len(c.held) == 0, "%v wait, %v hold units", c.waiting, c.held)
		m.require(m.retired(of) == of.ended && m.loaded(of) != of.ended, "ended %t, retired %t, loaded %t", of.ended,
			m.retired(of), m.loaded(of))
		if of.ended {
			continue
		}
		audit := m.instances[1].Operator(m).AuditActivity(m, of.id)
		m.require(audit.Ok && audit.ChangesPending == 0, "the audit says %+v", audit)
	}
	for _, r := range m.storedRefunds() {
		m.require(r.Status == "done", "the refund %+v is not done", r)
	}
	var pending []string
	m.sql(&pending, `SELECT outbox_id FROM stock_outbox WHERE state = 'pending'`)
	m.require(len(pending) == 0, "the outbox still has %v", pending)
	m.sql(&pending, `SELECT pay_number FROM payments WHERE status = 'pending'`)
	m.require(len(pending) == 0, "the payments %v are still open", pending)
}
