package userdata

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// requireSettled returns a conflict that names the orders, payments, refunds and disputes of a user that are in flight.
func (s *Service) requireSettled(ctx context.Context, user string) error {
	cached, err := s.cachedOrders(ctx, user)
	if err != nil {
		return problem.Unavailable(err, "Redis can't be asked for the user's orders right now.")
	}
	var found []string
	if n := len(cached); n > 0 {
		found = append(found, fmt.Sprintf("orders that wait to be stored: %d", n))
	}
	for _, open := range []struct{ what, query string }{
		{"unpaid orders", `SELECT COUNT(*) FROM orders WHERE user_id = ? AND status = 'unpaid'`},
		{"pending payments", `SELECT COUNT(*) FROM payments WHERE user_id = ? AND status = 'pending'`},
		{"refunds that are not done", `SELECT COUNT(*) FROM refunds JOIN payments USING (pay_number)
			WHERE user_id = ? AND refunds.status <> 'done'`},
		{"open disputes", `SELECT COUNT(*) FROM disputes JOIN payments USING (pay_number)
			WHERE user_id = ? AND disputes.state = 'open'`},
		{"vouchers that wait for their codes", `SELECT COUNT(*) FROM voucher_waits JOIN orders ON number = order_number
			WHERE user_id = ?`},
	} {
		var n int
		if err := s.db.Write.GetContext(ctx, &n, open.query, user); err != nil {
			return unavailable(fmt.Errorf("count unfinished orders and payments: %w", err))
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%s: %d", open.what, n))
		}
	}
	sale, err := lastSale(ctx, s.db.Write, user)
	if err != nil {
		return unavailable(err)
	}
	if sale != "" {
		found = append(found, sale)
	}
	if len(found) == 0 {
		return nil
	}
	return problem.Errorf(problem.CodeConflict, "The user can't be erased yet: %s.", strings.Join(found, ", "))
}

// lastSale says until when a user's orders belong to a sale that isn't retired; "" if there is none.
func lastSale(ctx context.Context, q sqlx.QueryerContext, user string) (string, error) {
	var sales []struct {
		ID     string     `db:"activity_id"`
		EndsAt api.Millis `db:"ends_ms"`
	}
	const query = `SELECT activity_id, ends_ms FROM activities WHERE retired_ms = 0
		AND activity_id IN (SELECT activity_id FROM orders WHERE user_id = ?) ORDER BY ends_ms DESC LIMIT 1`
	if err := sqlx.SelectContext(ctx, q, &sales, query, user); err != nil {
		return "", fmt.Errorf("select sales that are not retired: %w", err)
	}
	if len(sales) == 0 {
		return "", nil
	}
	return fmt.Sprintf("sale %s, which ends at %s, is not retired", sales[0].ID,
		sales[0].EndsAt.Time().UTC().Format("2006-01-02T15:04:05Z")), nil
}

// cachedOrders reads the user's orders that Redis has and SQL may lack, including orders of dead entries.
func (s *Service) cachedOrders(ctx context.Context, user string) ([]*order.Order, error) {
	lanes := s.site.Lanes(ctx)
	found := make([]*redis.MapStringStringCmd, 0, lanes)
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for lane := 1; lane <= lanes; lane++ {
			found = append(found, p.HGetAll(ctx, s.keys.Orders(lane, user)))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read cached orders: %w", err)
	}
	if !s.site.Fresh() {
		return nil, errors.New("read cached orders: the number of lanes was not read lately")
	}
	orders := []*order.Order{}
	for _, cmd := range found {
		for _, record := range cmd.Val() {
			o, err := order.DecodeRecord([]byte(record))
			if o == nil {
				return nil, fmt.Errorf("read a cached order: %w", err)
			}
			o.Cached = true
			orders = append(orders, o)
		}
	}
	return orders, nil
}
