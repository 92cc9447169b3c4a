package model

import (
	"time"

	"pgregory.net/rapid"
)

// run runs a job on an instance; a fault may end it.
func (m *model) run(t *rapid.T, job string) { m.act(t).TryJob(m, job) }

// Move moves the queues into SQL.
func (m *model) Move(t *rapid.T) { m.run(t, "move_orders") }

// CancelDue cancels the orders whose time to pay is over.
func (m *model) CancelDue(t *rapid.T) { m.run(t, "cancel_unpaid") }

// Settle carries out in Redis what SQL decided.
func (m *model) Settle(t *rapid.T) { m.run(t, "settle_stock") }

// SendRefunds sends refunds to the gateway.
func (m *model) SendRefunds(t *rapid.T) { m.run(t, "send_refunds") }

// QueryPayments asks the gateway about payments.
func (m *model) QueryPayments(t *rapid.T) { m.run(t, "query_payments") }

// Preheat loads the sales that Redis lacks.
func (m *model) Preheat(t *rapid.T) { m.run(t, "preheat") }

// Audit compares the stores, and repairs what it can prove: nothing.
func (m *model) Audit(t *rapid.T) { m.run(t, "audit") }

// Retire removes ended sales from Redis.
func (m *model) Retire(t *rapid.T) { m.run(t, "retire_activities") }

// Announce writes the events of sales.
func (m *model) Announce(t *rapid.T) { m.run(t, "announce_sales") }

var waits = []time.Duration{time.Minute, payWithinS * time.Second / 2, time.Hour}

// Wait lets time pass.
func (m *model) Wait(t *rapid.T) {
	m.clock.Advance(pick(t, "time", waits, every))
}

// Restart ends an instance and starts another one.
func (m *model) Restart(t *rapid.T) {
	i := uniform(len(m.instances)).Draw(t, "instance")
	m.faults.disarm()
	m.instances[i].Stop(m)
	m.instances[i] = m.start()
}
