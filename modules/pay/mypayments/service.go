package mypayments

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
)

// payments shows one payment of a user.
type payments interface {
	Get(ctx context.Context, user string, n order.Number) (*pay.PaymentView, error)
}

// Service lists payments.
type Service struct {
	db       sqlx.QueryerContext
	payments payments
}

// NewService returns the list of the payments that payments shows.
func NewService(db sqlx.QueryerContext, payments payments) *Service { return &Service{db, payments} }

// OfOrder returns the payments of an order that a user began, newest first, at most 20.
func (s *Service) OfOrder(ctx context.Context, user string, n order.Number) ([]*pay.PaymentView, error) {
	const query = `SELECT p.pay_number FROM payment_orders o JOIN payments p ON p.pay_number = o.pay_number
		WHERE o.order_number = ? AND p.user_id = ? ORDER BY p.created_ms DESC, p.pay_number DESC LIMIT 20`
	var numbers []order.Number
	if err := sqlx.SelectContext(ctx, s.db, &numbers, query, n, user); err != nil {
		return nil, problem.Unavailable(err, "The payments can't be read right now.")
	}
	views := make([]*pay.PaymentView, 0, len(numbers))
	for _, number := range numbers {
		view, err := s.payments.Get(ctx, user, number)
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}
