package pay

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
)

// outcome is the result of a notification, as stored with it.
type outcome string

const (
	outcomePaid     outcome = "paid"
	outcomePartly   outcome = "partly_paid" // some orders were no longer unpaid
	outcomeRefunded outcome = "refunded"
	outcomeRepeated outcome = "repeated" // the transaction was processed before
	outcomeUnknown  outcome = "unknown_payment"
)

// decide pays the unpaid orders and refunds the rest.
func (pr *Processor) decide(
	ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, missing map[order.Number]bool, at int64,
) (outcome, error) {
	whole := func(reason string, flag bool) (outcome, error) {
		if flag {
			if err := flagPayment(ctx, tx, p.Number, reason, at); err != nil {
				return "", err
			}
		}
		return outcomeRefunded, pr.refund(ctx, tx, p, n, 0, n.Amount, reason, at)
	}
	switch {
	case n.Currency != p.Currency:
		return whole(ReasonWrongCurrency, true)
	case n.Amount != p.Amount:
		return whole(ReasonWrongAmount, true)
	case p.Status != Pending && p.Status != Closed:
		return whole(ReasonPaidAlready, false)
	}
	var paid []order.Number
	for _, po := range p.Orders { // ascending
		won, reason := false, ReasonNotUnpaid
		if missing[po.Order] {
			reason = ReasonNoOrder
		} else {
			var err error
			by := order.LogLine{Actor: "gateway:" + p.Channel}
			if won, err = pr.payer.Pay(ctx, tx, po.Order, at, by); err != nil {
				return "", err
			}
		}
		if won {
			paid = append(paid, po.Order)
			continue
		}
		if err := pr.refund(ctx, tx, p, n, po.Order, po.Amount, reason, at); err != nil {
			return "", err
		}
	}
	what := outcomePaid
	switch {
	case len(paid) == 0:
		what = outcomeRefunded
	case len(paid) < len(p.Orders):
		what = outcomePartly
	}
	status, err := standing(ctx, tx, p, n.TransactionID)
	if err != nil {
		return "", err
	}
	if err := setPaid(ctx, tx, p.Number, status, n.TransactionID, at); err != nil {
		return "", err
	}
	if len(missing) > 0 {
		if err := flagPayment(ctx, tx, p.Number, ReasonNoOrder, at); err != nil {
			return "", err
		}
	}
	return what, EnqueueCloses(ctx, tx, paid) // closes other payments of the orders
}

func (pr *Processor) refund(
	ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, o order.Number, amount int64, reason string, at int64,
) error {
	return insertRefund(ctx, tx, &Refund{
		Number: pr.number(), Payment: p.Number, Channel: p.Channel, Transaction: n.TransactionID, Order: o,
		Amount: amount, Currency: n.Currency, Reason: reason, Status: RefundPending, NextTryMS: at, CreatedMS: at,
	})
}
