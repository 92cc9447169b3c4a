package admin

import (
	"context"
	"fmt"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// Find returns the payment and the refund of a number; at most limit.
func (s *Service) Find(ctx context.Context, q string, limit int) ([]api.Hit, error) {
	n, err := order.ParseNumber(q)
	if err != nil {
		return nil, nil //nolint:nilerr // no payment has it
	}
	var hits []api.Hit
	for _, by := range []struct{ kind, query, link string }{
		{
			"payment", `SELECT order_number FROM payment_orders WHERE pay_number = ? ORDER BY order_number LIMIT 1`,
			"/admin/api/v1/payments?order_number=",
		},
		{
			"refund", `SELECT pay_number FROM refunds WHERE refund_number = ?`,
			"/admin/api/v1/refunds?pay_number=",
		},
	} {
		var of []order.Number
		if err := s.db.Read.SelectContext(ctx, &of, by.query, n); err != nil {
			return nil, problem.Unavailable(fmt.Errorf("search %s: %w", by.kind, err),
				"The search is unavailable right now.")
		}
		for _, number := range of {
			hits = append(hits, api.Hit{Kind: by.kind, ID: q, Link: by.link + number.String()})
		}
	}
	return hits[:min(len(hits), limit)], nil
}
