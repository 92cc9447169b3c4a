package admin

import (
	"context"
	"fmt"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// Find returns the payment and the refund of a number; at most limit. With api.WithShop, only those that belong to the
// shop are found.
func (s *Service) Find(ctx context.Context, q string, limit int) ([]api.Hit, error) {
	n, err := order.ParseNumber(q)
	if err != nil {
		return nil, nil //nolint:nilerr // no payment has it
	}
	var hits []api.Hit
	shop := api.ShopOf(ctx)
	for _, by := range []struct {
		kind, query, link string
		belongs           func(ctx context.Context, n order.Number, shop string) (bool, error)
	}{
		{
			"payment", `SELECT order_number FROM payment_orders WHERE pay_number = ? ORDER BY order_number LIMIT 1`,
			"/admin/api/v1/payments?order_number=", s.BelongsToShop,
		},
		{
			"refund", `SELECT pay_number FROM refunds WHERE refund_number = ?`,
			"/admin/api/v1/refunds?pay_number=", s.RefundBelongsToShop,
		},
	} {
		var of []order.Number
		if err := s.db.Read.SelectContext(ctx, &of, by.query, n); err != nil {
			return nil, problem.Unavailable(fmt.Errorf("search %s: %w", by.kind, err),
				"The search is unavailable right now.")
		}
		if len(of) > 0 && shop != "" {
			if own, err := by.belongs(ctx, n, shop); err != nil {
				return nil, err
			} else if !own {
				continue
			}
		}
		for _, number := range of {
			hits = append(hits, api.Hit{Kind: by.kind, ID: q, Link: by.link + number.String()})
		}
	}
	return hits[:min(len(hits), limit)], nil
}
