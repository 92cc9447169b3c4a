package model

import (
	"net/http"
	"strconv"

	"pgregory.net/rapid"

	"onrush/modules/order"
	"onrush/test/site"
	"onrush/web/client"
)

// money is money that the gateway took for a payment.
type money struct {
	of     *payment
	amount int64
	sent   site.Payment
	heard  bool // the program acknowledged it
}

// Money lets the gateway take money for a payment and report it: late, twice or a wrong amount too. A report may get
// lost.
func (m *model) Money(t *rapid.T) {
	p := pick(t, "payment", m.payments, every)
	wrong, lost := uniform(6).Draw(t, "wrong amount") == 5, uniform(6).Draw(t, "lost report") == 5
	s := m.act(t)
	in := &money{of: p, amount: p.amount}
	if wrong {
		in.amount++
	}
	name := strconv.Itoa(len(m.money) + 1)
	in.sent = site.Payment{
		Event: "event-" + name, Number: p.number, Transaction: "txn-" + name, Amount: in.amount, Currency: "CNY",
	}
	m.faults.ours(func() { m.instances[0].Money(m, in.sent) })
	m.money = append(m.money, in)
	for _, o := range p.orders {
		o.paid = o.paid || in.amount == p.amount
	}
	if !lost {
		m.notify(s, in, in.sent.Event)
	}
}

// MoneyAgain lets the gateway repeat a report, with the same event or a new one.
func (m *model) MoneyAgain(t *rapid.T) {
	in := pick(t, "money", m.money, every)
	event := in.sent.Event
	if rapid.Bool().Draw(t, "new event") {
		event = m.key()
	}
	m.notify(m.act(t), in, event)
}

// notify sends a report until it is acknowledged.
func (m *model) notify(s *site.Site, in *money, event string) {
	in.sent.At = m.clock.Now()
	sent := in.sent
	sent.Event = event
	a, err := s.Notify(m.background(), sent)
	m.faults.disarm()
	if err != nil || a.Status != http.StatusOK {
		a, err = s.Notify(m.background(), sent)
	}
	m.ok(err, "report money")
	m.require(a.Status == http.StatusOK, "report money for payment %s: %d %s", in.of.number, a.Status, a.Body)
	in.heard = true
}

// refund is an accepted refund of an order.
type refund struct {
	number, key string
	of          *placed
	body        client.RefundRequest
}

// Refund lets an operator refund an order, or a part of it.
func (m *model) Refund(t *rapid.T) {
	o := pick(t, "order", m.orders, func(o *placed) bool {
		return o.status == order.Paid || o.status == order.Refunded
	})
	r := &refund{key: m.key(), of: o, body: client.RefundRequest{Reason: "asked for"}}
	amount := o.total() - o.refunded
	if rapid.Bool().Draw(t, "a part") {
		amount = rapid.Int64Range(1, o.total()).Draw(t, "amount")
		r.body.Amount = amount
	}
	s := m.act(t)
	a := m.post(s.Operator(m), operators+"/orders/"+o.number+"/refund", r.key, r.body)
	if a.Status != http.StatusAccepted {
		m.require(amount > o.total()-o.refunded || o.status == order.Refunded, "refund %d of order %s: %d %s", amount,
			o.number, a.Status, a.Body)
		return
	}
	m.require(amount <= o.total()-o.refunded, "order %s was refunded more than it cost", o.number)
	r.number = site.Read[client.Refund](m, http.StatusAccepted, a).RefundNumber
	o.refunded += amount
	o.refunds++
	m.refunds = append(m.refunds, r)
}

// RefundAgain repeats an accepted refund.
func (m *model) RefundAgain(t *rapid.T) {
	r := pick(t, "refund", m.refunds, every)
	s := m.act(t)
	a := m.post(s.Operator(m), operators+"/orders/"+r.of.number+"/refund", r.key, r.body)
	got := site.Read[client.Refund](m, http.StatusAccepted, a).RefundNumber
	m.require(got == r.number, "the key of refund %s got %s", r.number, got)
}
