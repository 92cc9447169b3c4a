package drill

import "onrush/web/client"

// judgeMoney compares, for each order, the money that came in at the gateway with the refunds there and with
// the money that the order keeps.
func judgeMoney(f *facts, payments []*payment, v *verdicts) {
	if f.unreached {
		v.want(checkMoney, "a notification of the sandbox that came to the program: ONRUSH_PUBLIC_URL leads "+
			"elsewhere, as onrush doctor says")
		return
	}
	type account struct{ in, back, keeps int64 }
	orders := map[string]client.AdminOrder{}
	for _, o := range f.orders {
		orders[o.OrderNumber] = o
	}
	done := map[string]int64{} // by payment: refunds that the program says are done
	for _, refund := range f.refunds {
		if refund.Status == "done" {
			done[refund.PayNumber] += refund.Amount
		}
	}
	accounts := map[string]*account{}
	for _, p := range payments {
		v.checked[checkMoney]++
		state, order := f.payments[p.number], orders[p.orders[0]]
		if accounts[order.OrderNumber] == nil {
			accounts[order.OrderNumber] = &account{}
			if order.Status == "paid" || order.Status == "refunded" {
				accounts[order.OrderNumber].keeps = order.TotalAmount - order.RefundedAmount
			}
		}
		var in, back int64
		for _, n := range state.Notifications {
			if n.Type == "payment.succeeded" {
				in += n.Amount
				back += n.RefundedAmount
			}
		}
		if back != done[p.number] {
			v.problem(checkMoney, "%d are back from payment %s at the gateway, and %d by the refunds", back, p.number,
				done[p.number])
		}
		accounts[order.OrderNumber].in += in
		accounts[order.OrderNumber].back += back
	}
	for number, a := range accounts {
		if a.in != a.back+a.keeps {
			v.problem(checkMoney, "order %s is %s: %d came, %d went back, it keeps %d", number, orders[number].Status,
				a.in, a.back, a.keeps)
		}
	}
	for number, o := range orders {
		if o.Status == "paid" && o.TotalAmount > 0 && accounts[number] == nil {
			v.problem(checkMoney, "order %s is paid, and nobody paid it", number)
		}
	}
}

// judgeRefunds compares the refunds that operators asked for with those that the program has.
func judgeRefunds(f *facts, asked []client.Refund, v *verdicts) {
	has := map[string]client.Refund{}
	for _, r := range f.refunds {
		has[r.RefundNumber] = r
	}
	for _, a := range asked {
		v.checked[checkMoney]++
		switch r := has[a.RefundNumber]; {
		case r.OrderNumber != a.OrderNumber || a.Amount != 0 && r.Amount != a.Amount:
			v.problem(checkMoney, "an operator refunded %d of order %s, and refund %s is %d of order %q", a.Amount,
				a.OrderNumber, a.RefundNumber, r.Amount, r.OrderNumber)
		case r.Status != "done":
			v.problem(checkMoney, "refund %s of order %s is %s", a.RefundNumber, a.OrderNumber, r.Status)
		}
	}
}
