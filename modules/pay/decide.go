package pay

import (
	"slices"

	"onrush/modules/order"
)

// settlement is what a notification of money changes.
type settlement struct {
	outcome outcome
	pays    []order.Number // the orders that it pays, ascending
	refunds []refundedPart // the money that goes back
	status  Status         // of the payment; "" leaves it
	flag    string         // of the payment; "" leaves it
}

// refundedPart is money that goes back by itself.
type refundedPart struct {
	order  order.Number // that it didn't pay; 0: the whole transaction goes back
	amount int64
	reason string
}

// decide returns what to do with money for p: it pays the orders that are unpaid, and the rest is refunded. had says
// whether the notification or its transaction was processed before. Orders that were not found may be in a Redis
// that is being restored, so the first few notifications wait for them.
func (pr *Processor) decide(p *Payment, m money, had processed, unpaid []order.Number) (s settlement) {
	whole := func(reason, flag string) settlement {
		return settlement{outcome: outcomeRefunded, refunds: []refundedPart{{0, m.Amount, reason}}, flag: flag}
	}
	switch {
	case len(m.missing) > 0 && p.Deliveries+1 < pr.cfg.Deliveries:
		return settlement{outcome: outcomeAwaited}
	case had.Notification:
		return settlement{outcome: outcomeKnown}
	case had.Transaction:
		return settlement{outcome: outcomeRepeated}
	case m.Currency != p.Currency:
		return whole(ReasonWrongCurrency, ReasonWrongCurrency)
	case m.Amount != p.Amount:
		return whole(ReasonWrongAmount, ReasonWrongAmount)
	case p.Status != Pending && p.Status != Closed:
		return whole(ReasonPaidAlready, "")
	}
	for _, po := range p.Orders {
		switch {
		case m.missing[po.Order]:
			s.refunds, s.flag = append(s.refunds, refundedPart{po.Order, po.Amount, ReasonNoOrder}), ReasonNoOrder
		case !slices.Contains(unpaid, po.Order):
			s.refunds = append(s.refunds, refundedPart{po.Order, po.Amount, ReasonNotUnpaid})
		default:
			s.pays = append(s.pays, po.Order)
		}
	}
	switch {
	case len(s.refunds) == 0:
		s.outcome, s.status = outcomePaid, Paid
	case len(s.pays) > 0:
		s.outcome, s.status = outcomePartly, Paid
	case p.Amount > 0:
		s.outcome, s.status = outcomeRefunded, Refunding
	default: // a refund of nothing is done at once
		s.outcome, s.status = outcomeRefunded, Refunded
	}
	return s
}
