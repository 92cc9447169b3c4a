package admin

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// maxHits is how much a search finds.
	maxHits = 20
	// maxLabelled is how many orders of all shops with one client_reference are looked at, the newest.
	maxLabelled = 1000
	// leastNumber is less than each order number, and more than each phone number, which has at most 15 digits: order
	// numbers of so few digits are of the first three days of 2024.
	leastNumber order.Number = 1e15
)

const ordersRoute = "/admin/api/v1/orders"

// Find returns at most limit hits: the order with the number q, the order of the voucher code q, the user q if that
// user has orders, and the orders with the client_reference q; the orders whose receiver's phone number ends with q,
// and those whose receiver's name is q or begins with it. The newest orders of each kind come first. Each query reads
// an index. With api.WithShop, only orders of the shop are found: of a client_reference, a name or an end of a phone
// number that many orders of all shops have, only those among the first of these.
func (s *Service) Find(ctx context.Context, q string, limit int) ([]api.Hit, error) {
	var hits []api.Hit
	orders := func(kind, query string, args ...any) error {
		var numbers []order.Number
		if err := s.db.Read.SelectContext(ctx, &numbers, query, args...); err != nil {
			return unsearched(kind, err)
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
		if err := s.ensureSought(ctx, n); err != nil {
			return nil, err
		}
		query, args := inShop(ctx, `number = ?`, n)
		if err := orders("order", query, args...); err != nil {
			return nil, err
		}
	}
	byUser, userArgs := inShop(ctx, `user_id = ?`, q)
	of, shop := ofShop(ctx, "order_number")
	labelled, labelShop := ofShop(ctx, "labelled.number")
	for _, by := range []struct {
		kind, query string
		args        []any
	}{
		{"voucher", `SELECT order_number FROM vouchers WHERE code = ?` + of, append([]any{q}, shop...)},
		{"user", byUser + ` LIMIT 1`, userArgs},
		{
			"order", `SELECT number FROM (SELECT number FROM order_labels
				WHERE name = 'client_reference' AND value = ? ORDER BY number DESC LIMIT ?) AS labelled
				WHERE number > 0` + labelled + ` ORDER BY number DESC LIMIT ?`,
			slices.Concat([]any{q, maxLabelled}, labelShop, []any{limit}),
		},
	} {
		if err := orders(by.kind, by.query, by.args...); err != nil {
			return nil, err
		}
	}
	received, err := s.findReceiver(ctx, q, limit)
	if err != nil {
		return nil, err
	}
	if hits, err = s.withStatus(ctx, hits); err != nil {
		return nil, err
	}
	hits = append(hits, received...)
	return hits[:min(len(hits), limit)], nil
}

// withStatus gives the hits that are orders their status.
func (s *Service) withStatus(ctx context.Context, hits []api.Hit) ([]api.Hit, error) {
	var numbers []order.Number
	for _, hit := range hits {
		if n, err := order.ParseNumber(hit.ID); err == nil && hit.Kind == "order" {
			numbers = append(numbers, n)
		}
	}
	orders, err := order.SelectAll(ctx, s.db.Read, numbers)
	if err != nil && !errors.Is(err, order.ErrBadRecord) {
		return nil, unsearched("status", err)
	}
	for i, hit := range hits {
		of := func(o *order.Order) bool { return hit.Kind == "order" && hit.ID == o.Number.String() }
		if at := slices.IndexFunc(orders, of); at >= 0 {
			hits[i].Status = string(orders[at].Status)
		}
	}
	return hits, nil
}

// ensureSought stores the order with a number, if there is one that only Redis has. One shop's operators get no error:
// it would tell that a number may be another shop's.
func (s *Service) ensureSought(ctx context.Context, n order.Number) error {
	if n < leastNumber {
		return nil
	}
	err := s.Ensure(ctx, n)
	if problem.CodeOf(err) == problem.CodeNotFound || api.ShopOf(ctx) != "" {
		return nil
	}
	return err
}

// inShop returns the statement that selects the numbers of the orders, of the operator's shop alone if there is one,
// that meet a condition with one argument.
func inShop(ctx context.Context, condition string, arg any) (query string, args []any) {
	var where sqldb.Where
	where.And(condition, arg)
	where.AndIf(api.ShopOf(ctx) != "", "shop_id = ?", api.ShopOf(ctx))
	return `SELECT number FROM orders` + where.String() + ` UNION ALL SELECT number FROM orders_archive` +
		where.String(), where.Args(where.Args()...)
}

// ofShop returns the condition that the order with the number in a column is of the operator's shop, if there is one.
func ofShop(ctx context.Context, number string) (condition string, args []any) {
	shop := api.ShopOf(ctx)
	if shop == "" {
		return "", nil
	}
	return ` AND (EXISTS (SELECT 1 FROM orders AS o WHERE o.number = ` + number + ` AND o.shop_id = ?)
		OR EXISTS (SELECT 1 FROM orders_archive AS o WHERE o.number = ` + number + ` AND o.shop_id = ?))`,
		[]any{shop, shop}
}

func unsearched(kind string, err error) error {
	return problem.Unavailable(fmt.Errorf("search %s: %w", kind, err), "The search is unavailable right now.")
}
