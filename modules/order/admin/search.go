package admin

import (
	"context"
	"fmt"
	"net/url"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// maxHits is how much a search finds.
const maxHits = 20

const ordersRoute = "/admin/api/v1/orders"

// Find returns at most limit hits: the order with the number q, the order of the voucher code q, the user q if that
// user has orders, and the orders with the client_reference q, newest first. Each query reads an index.
func (s *Service) Find(ctx context.Context, q string, limit int) ([]api.Hit, error) {
	var hits []api.Hit
	orders := func(kind, query string, args ...any) error {
		var numbers []order.Number
		if err := s.db.Read.SelectContext(ctx, &numbers, query, args...); err != nil {
			return problem.Unavailable(fmt.Errorf("search %s: %w", kind, err), "The search is unavailable right now.")
		}
		for _, n := range numbers {
			hit := api.Hit{Kind: kind, ID: n.String(), Link: ordersRoute + "/" + n.String()}
			switch kind {
			case "user":
				hit.ID, hit.Link = q, ordersRoute+"?user_id="+url.QueryEscape(q)
			case "voucher":
				hit.ID = q
			}
			hits = append(hits, hit)
		}
		return nil
	}
	if n, err := order.ParseNumber(q); err == nil {
		if err := s.Ensure(ctx, n); err != nil && problem.CodeOf(err) != problem.CodeNotFound {
			return nil, err
		}
		if err := orders("order", `SELECT number FROM orders WHERE number = ?
			UNION ALL SELECT number FROM orders_archive WHERE number = ?`, n, n); err != nil {
			return nil, err
		}
	}
	for _, by := range []struct {
		kind, query string
		args        []any
	}{
		{"voucher", `SELECT order_number FROM vouchers WHERE code = ?`, []any{q}},
		{
			"user", `SELECT number FROM orders WHERE user_id = ?
				UNION ALL SELECT number FROM orders_archive WHERE user_id = ? LIMIT 1`, []any{q, q},
		},
		{
			"order", `SELECT number FROM order_labels WHERE name = 'client_reference' AND value = ?
				ORDER BY number DESC LIMIT ?`, []any{q, limit},
		},
	} {
		if err := orders(by.kind, by.query, by.args...); err != nil {
			return nil, err
		}
	}
	return hits[:min(len(hits), limit)], nil
}
