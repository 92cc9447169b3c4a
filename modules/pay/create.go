package pay

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/pay/attempts"
	"onrush/modules/pay/grace"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// create checks the orders and stores the payment.
func (s *Service) create(
	ctx context.Context, user, task, digest, channel string, numbers []order.Number,
) (*Payment, error) {
	at := s.now()
	p := &Payment{
		Number: s.number(), User: user, Task: task, Digest: digest, Channel: channel, Status: Pending,
		CreatedMS: at.UnixMilli(),
	}
	if err := attempts.Check(ctx, s.db.Write, user, at); err != nil {
		return nil, err
	}
	end := at.Add(askAfter)
	for _, n := range numbers {
		o, err := s.ensure.EnsureStored(ctx, user, n)
		if err != nil {
			return nil, err
		}
		switch {
		case o.Status != order.Unpaid:
			return nil, problem.Errorf(CodeNotPayable, "Order %s is %s; only an unpaid order can be paid.", n, o.Status)
		case int64(o.PayBefore) <= at.UnixMilli():
			return nil, problem.Errorf(CodeNotPayable, "The time to pay order %s is over.", n)
		case p.Currency != "" && p.Currency != o.Currency:
			return nil, problem.Invalid("order_numbers", "have several currencies")
		}
		if o.TotalAmount > catalogue.MaxAmount-p.Amount {
			return nil, problem.Invalid("order_numbers", "cost more than one payment can hold")
		}
		p.Currency = o.Currency
		p.Amount += o.TotalAmount
		if end, err = grace.Earlier(ctx, s.db.Write, end, o); err != nil {
			return nil, problem.Unavailable(err, "The orders can't be read right now.")
		}
		p.Orders = append(p.Orders, PaymentOrder{Payment: p.Number, Order: n, Amount: o.TotalAmount})
	}
	p.ExpiresMS = s.expiry(channel, at, end).UnixMilli()
	p.AskMS = end.Add(-min(askBefore, end.Sub(at)/2)).UnixMilli()
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		newest, err := s.mayBegin(ctx, tx, numbers)
		if err != nil {
			return err
		}
		p.CreatedMS = max(p.CreatedMS, newest+1) // ascending even if the clocks differ
		return InsertPayment(ctx, tx, p)
	})
	switch {
	case sqldb.IsDuplicate(err): // the same key at the same time
		had, err := s.replay(ctx, task, digest)
		if err == nil && had == nil {
			err = problem.Unavailable(nil, "The payment can't be stored right now.")
		}
		return had, err
	case err != nil:
		return nil, err
	}
	return p, s.faults.After("begin_commit")
}

// mayBegin locks the orders' rows and checks that they are unpaid and haven't had too many payments. It
// returns the creation time of their newest payment, or 0.
func (s *Service) mayBegin(ctx context.Context, tx *sqlx.Tx, numbers []order.Number) (newestMS int64, err error) {
	unpaid, err := order.LockOrders(ctx, tx, numbers)
	if err != nil {
		return 0, err
	}
	if len(unpaid) < len(numbers) {
		return 0, problem.Errorf(CodeNotPayable, "An order is no longer unpaid.")
	}
	var had []struct {
		Payments int   `db:"payments"`
		NewestMS int64 `db:"newest_ms"`
	}
	query := `SELECT COUNT(*) AS payments, MAX(p.created_ms) AS newest_ms FROM payment_orders o
		JOIN payments p ON p.pay_number = o.pay_number
		WHERE o.order_number IN (` + sqldb.In(len(numbers)) + `) GROUP BY o.order_number`
	if err := tx.SelectContext(ctx, &had, query, sqldb.Args(numbers)...); err != nil {
		return 0, fmt.Errorf("count payments of orders: %w", err)
	}
	for _, of := range had {
		if of.Payments >= paymentsPerOrder {
			return 0, problem.Errorf(CodeNotPayable, "An order has had %d payments, which is the maximum.", of.Payments)
		}
		newestMS = max(newestMS, of.NewestMS)
	}
	return newestMS, nil
}
