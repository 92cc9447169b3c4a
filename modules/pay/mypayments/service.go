package mypayments

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const most = 20 // payments of an order that are listed

// Service lists payments.
type Service struct {
	db  sqlx.QueryerContext
	now func() time.Time
}

// NewService returns the list of the payments in db.
func NewService(db sqlx.QueryerContext, now func() time.Time) *Service { return &Service{db, now} }

// row is a payment, and whether one of its orders is unpaid.
type row struct {
	pay.Payment
	Unpaid bool `db:"unpaid"`
}

// OfOrder returns the payments of an order that a user began, newest first, at most 20, with how to pay those that can
// still be paid. It takes two statements, however many they are.
func (s *Service) OfOrder(ctx context.Context, user string, n order.Number) ([]*pay.PaymentView, error) {
	const query = `SELECT ` + pay.PaymentColumns + `, EXISTS (SELECT 1 FROM payment_orders part
		JOIN orders o ON o.number = part.order_number
		WHERE part.pay_number = payments.pay_number AND o.status = 'unpaid') AS unpaid
		FROM payments WHERE user_id = ? AND pay_number IN
		(SELECT pay_number FROM payment_orders WHERE order_number = ?)
		ORDER BY created_ms DESC, pay_number DESC LIMIT ?`
	var found []row
	if err := sqlx.SelectContext(ctx, s.db, &found, query, user, n, most); err != nil {
		return nil, problem.Unavailable(fmt.Errorf("select payments of order %s: %w", n, err),
			"The payments can't be read right now.")
	}
	parts, err := s.parts(ctx, found)
	if err != nil {
		return nil, problem.Unavailable(err, "The payments can't be read right now.")
	}
	views := make([]*pay.PaymentView, len(found))
	for i := range found {
		p := &found[i]
		p.Orders = parts[p.Number]
		if views[i], err = s.show(p); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// parts reads the parts of payments, by order number.
func (s *Service) parts(ctx context.Context, found []row) (map[order.Number][]pay.PaymentOrder, error) {
	if len(found) == 0 {
		return nil, nil
	}
	numbers := make([]any, len(found))
	for i := range found {
		numbers[i] = found[i].Number
	}
	query := `SELECT pay_number, order_number, amount FROM payment_orders
		WHERE pay_number IN (` + sqldb.In(len(numbers)) + `) ORDER BY pay_number, order_number`
	var parts []pay.PaymentOrder
	if err := sqlx.SelectContext(ctx, s.db, &parts, query, numbers...); err != nil {
		return nil, fmt.Errorf("select orders of %d payments: %w", len(found), err)
	}
	of := make(map[order.Number][]pay.PaymentOrder, len(found))
	for _, part := range parts {
		of[part.Payment] = append(of[part.Payment], part)
	}
	return of, nil
}

// show returns the view of a payment, with how to pay it while money for it would pay an order.
func (s *Service) show(p *row) (*pay.PaymentView, error) {
	if p.Status != pay.Pending || p.NextJSON == "" || !p.Unpaid || p.ExpiresMS <= s.now().UnixMilli() {
		return pay.Show(&p.Payment), nil
	}
	return pay.ShowNext(&p.Payment)
}
