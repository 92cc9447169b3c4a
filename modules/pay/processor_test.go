package pay

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/order"
)

func TestMoneyPaysTheUnpaidOrdersAndTheRestGoesBack(t *testing.T) {
	t.Parallel()
	all, missing := []order.Number{11, 12}, map[order.Number]bool{12: true}
	whole := func(reason, flag string) settlement {
		return settlement{outcome: outcomeRefunded, refunds: []refundedPart{{0, 500, reason}}, flag: flag}
	}
	for name, tc := range map[string]struct {
		with   func(p *Payment, m *money)
		had    processed
		unpaid []order.Number
		want   settlement
	}{
		"all orders are unpaid": {unpaid: all, want: settlement{outcome: outcomePaid, pays: all, status: Paid}},
		"one order is cancelled": {unpaid: all[1:], want: settlement{
			outcome: outcomePartly, status: Paid, pays: all[1:], refunds: []refundedPart{{11, 200, ReasonNotUnpaid}},
		}},
		"all orders are cancelled": {want: settlement{
			outcome: outcomeRefunded, status: Refunding,
			refunds: []refundedPart{{11, 200, ReasonNotUnpaid}, {12, 300, ReasonNotUnpaid}},
		}},
		"a free order is cancelled": {
			with: func(p *Payment, m *money) { m.Amount, p.Amount, p.Orders = 0, 0, []PaymentOrder{{Order: 11}} },
			want: settlement{
				outcome: outcomeRefunded, status: Refunded, refunds: []refundedPart{{11, 0, ReasonNotUnpaid}},
			},
		},
		"an order is not found": {
			with: func(_ *Payment, m *money) { m.missing = missing }, unpaid: all[:1],
			want: settlement{outcome: outcomeAwaited},
		},
		"an order is not found at last": {
			with: func(p *Payment, m *money) { p.Deliveries, m.missing = 4, missing }, unpaid: all,
			want: settlement{
				outcome: outcomePartly, pays: all[:1], status: Paid, flag: ReasonNoOrder,
				refunds: []refundedPart{{12, 300, ReasonNoOrder}},
			},
		},
		"the notification is known": {
			had: processed{Transaction: true, Notification: true}, unpaid: all, want: settlement{outcome: outcomeKnown},
		},
		"the transaction is known": {
			had: processed{Transaction: true}, unpaid: all, want: settlement{outcome: outcomeRepeated},
		},
		"the currency is wrong": {
			with: func(_ *Payment, m *money) { m.Currency = "EUR" }, unpaid: all,
			want: whole(ReasonWrongCurrency, ReasonWrongCurrency),
		},
		"the amount is wrong": {
			with: func(p *Payment, _ *money) { p.Amount = 501 }, unpaid: all,
			want: whole(ReasonWrongAmount, ReasonWrongAmount),
		},
		"the payment is paid": {
			with: func(p *Payment, _ *money) { p.Status = Paid }, unpaid: all, want: whole(ReasonPaidAlready, ""),
		},
	} {
		p := &Payment{
			Number: 1, Status: Pending, Amount: 500, Currency: "CNY",
			Orders: []PaymentOrder{{Order: 11, Amount: 200}, {Order: 12, Amount: 300}},
		}
		m := money{Notification: Notification{Amount: 500, Currency: "CNY"}}
		if tc.with != nil {
			tc.with(p, &m)
		}
		pr := &Processor{cfg: Config{Deliveries: 5}}
		assert.Equal(t, tc.want, pr.decide(p, m, tc.had, tc.unpaid), name)
	}
}
