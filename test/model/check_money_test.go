package model

import "onrush/modules/order"

// transaction is money that the program knows of.
type transaction struct {
	ID     string `db:"transaction_id"`
	Pay    string `db:"pay_number"`
	Amount int64  `db:"amount"`
	Paid   bool   `db:"paid"` // whether it paid its payment
}

type storedRefund struct {
	Number      string `db:"refund_number"`
	Transaction string `db:"transaction_id"`
	Order       string `db:"order_number"`
	Amount      int64  `db:"amount"`
	Reason      string `db:"reason"`
	Status      string `db:"status"`
	Sent        int64  `db:"sent"` // what the gateway paid back
}

func (r *storedRefund) byOperator() bool { return r.Reason == "operator" }

// checkMoney requires that the money of each transaction is goods and refunds.
func (m *model) checkMoney(stored stored) {
	var came []transaction
	m.sql(&came, `SELECT t.transaction_id, t.pay_number, t.amount, p.transaction_id = t.transaction_id AS paid
		FROM payment_transactions t JOIN payments p ON p.pay_number = t.pay_number`)
	refunds := m.storedRefunds()
	paidBy := map[string]int{} // transactions that paid an order
	heard := map[string]bool{}
	for _, t := range came {
		heard[t.ID] = true
		in := m.moneyOf(t.ID)
		m.require(in != nil && in.amount == t.Amount && in.of.number == t.Pay, "nobody paid %+v", t)
		back := map[string]int64{} // by order; "0" is the whole transaction
		sum := int64(0)
		for _, r := range refunds {
			if r.Transaction == t.ID && !r.byOperator() {
				m.require(back[r.Order] == 0, "order %s of transaction %s goes back twice", r.Order, t.ID)
				back[r.Order] = r.Amount
				sum += r.Amount
			}
		}
		for _, o := range in.of.orders {
			if t.Paid && back[o.number] == 0 && back["0"] == 0 {
				paidBy[o.number]++
				sum += o.total()
			}
		}
		m.require(sum == t.Amount, "of the %d of transaction %s, %d are goods and refunds", t.Amount, t.ID, sum)
	}
	for _, in := range m.money {
		m.require(!in.heard || heard[in.sent.Transaction], "the heard money %s is not known", in.sent.Transaction)
	}
	for _, o := range m.orders {
		want := 0
		if now := stored.orders[o.number].Status; now == order.Paid || now == order.Refunded {
			want = 1
		}
		m.require(paidBy[o.number] == want, "%d transactions paid the %s order %s", paidBy[o.number],
			stored.orders[o.number].Status, o.number)
	}
	m.checkRefunds(refunds)
}

// checkRefunds holds the refunds against what operators asked for and what the gateway paid back.
func (m *model) checkRefunds(refunds []storedRefund) {
	known := map[string]bool{}
	byOrder := map[string]int64{}
	for _, r := range refunds {
		known[r.Number] = true
		if r.byOperator() {
			byOrder[r.Order] += r.Amount
		}
		m.require(r.Sent == 0 || r.Sent == r.Amount, "the gateway paid %d for the refund %+v", r.Sent, r)
		m.require(r.Status != "done" || r.Sent == r.Amount, "the gateway never paid the refund %+v", r)
		m.require(r.Status != "failed", "the refund %+v failed", r)
	}
	for _, r := range m.refunds {
		m.require(known[r.number], "the accepted refund %s is gone", r.number)
	}
	for _, o := range m.orders {
		back := byOrder[o.number]
		m.require(back == o.refunded, "of order %s, %d go back, not %d", o.number, back, o.refunded)
	}
	var sent []string
	m.sql(&sent, `SELECT refund_number FROM sandbox_refunds`)
	for _, number := range sent {
		m.require(known[number], "the gateway paid the refund %s, which nobody made", number)
	}
}

func (m *model) storedRefunds() (refunds []storedRefund) {
	m.sql(&refunds, `SELECT r.refund_number, r.transaction_id, r.order_number, r.amount, r.reason, r.status,
		COALESCE((SELECT SUM(s.amount) FROM sandbox_refunds s WHERE s.refund_number = r.refund_number
			AND s.transaction_id = r.transaction_id), 0) AS sent
		FROM refunds r`)
	return refunds
}

// moneyOf returns the money of a transaction, or nil.
func (m *model) moneyOf(transaction string) *money {
	for _, in := range m.money {
		if in.sent.Transaction == transaction {
			return in
		}
	}
	return nil
}
