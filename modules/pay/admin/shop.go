package admin

import (
	"context"
	"fmt"

	"onrush/modules/order"
	"onrush/modules/problem"
)

// boughtFrom is the condition that an order is of a shop, which is the argument, twice.
func boughtFrom(number string) string {
	return `(EXISTS (SELECT 1 FROM orders AS o WHERE o.number = ` + number + ` AND o.shop_id = ?)
		OR EXISTS (SELECT 1 FROM orders_archive AS o WHERE o.number = ` + number + ` AND o.shop_id = ?))`
}

// paidOnlyFor is the condition that a payment has orders, and that all of them are of a shop, which is the argument,
// twice. What a payment shows concerns all its orders.
func paidOnlyFor(number string) string {
	return `EXISTS (SELECT 1 FROM payment_orders AS part WHERE part.pay_number = ` + number + `)
		AND NOT EXISTS (SELECT 1 FROM payment_orders AS part WHERE part.pay_number = ` + number + `
			AND NOT ` + boughtFrom("part.order_number") + `)`
}

// refundedFor is the condition that a refund is of an order of a shop, or of a whole payment for its orders only. The
// shop is the argument, four times.
func refundedFor(table string) string {
	return `(` + table + `.order_number <> 0 AND ` + boughtFrom(table+".order_number") + `
		OR ` + table + `.order_number = 0 AND ` + paidOnlyFor(table+".pay_number") + `)`
}

// BelongsToShop reports whether the payment with this number is one for orders of a shop only.
func (s *Service) BelongsToShop(ctx context.Context, n order.Number, shop string) (bool, error) {
	return s.isOf(ctx, `SELECT COUNT(*) FROM payments WHERE pay_number = ? AND `+paidOnlyFor("payments.pay_number"),
		n, shop, shop)
}

// RefundBelongsToShop reports whether the refund with this number is of an order of a shop, or of a whole payment for
// its orders only.
func (s *Service) RefundBelongsToShop(ctx context.Context, n order.Number, shop string) (bool, error) {
	return s.isOf(ctx, `SELECT COUNT(*) FROM refunds WHERE refund_number = ? AND `+refundedFor("refunds"),
		n, shop, shop, shop, shop)
}

func (s *Service) isOf(ctx context.Context, query string, args ...any) (bool, error) {
	var found int
	if err := s.db.Read.GetContext(ctx, &found, query, args...); err != nil {
		return false, problem.Unavailable(fmt.Errorf("select the shop of a payment: %w", err),
			"The payment can't be read right now.")
	}
	return found > 0, nil
}
