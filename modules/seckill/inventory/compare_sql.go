package inventory

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// suspectRows bounds the rows of one statement.
const suspectRows = 1000

// statesOf reads the stored orders of an activity among numbers, by number.
func statesOf(
	ctx context.Context, q sqlx.QueryerContext, activity string, numbers []order.Number,
) (map[order.Number]order.Stored, error) {
	found, err := order.SelectStored(ctx, q, numbers)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(found, func(_ order.Number, o order.Stored) bool { return o.Activity != activity })
	return found, nil
}

// pendingOf returns which of the orders have a pending return or confirm.
func pendingOf(ctx context.Context, q sqlx.QueryerContext, numbers []order.Number) (map[order.Number]bool, error) {
	pending := map[order.Number]bool{}
	for part := range slices.Chunk(numbers, suspectRows/2) {
		ids := make([]any, 0, 2*len(part))
		for _, n := range part {
			ids = append(ids, order.OutboxID(order.OutboxReturn, n), order.OutboxID(order.OutboxConfirm, n))
		}
		var found []order.Number
		query := `SELECT order_number FROM stock_outbox WHERE state = 'pending' AND outbox_id IN (` +
			sqldb.In(len(ids)) + `)`
		if err := sqlx.SelectContext(ctx, q, &found, query, ids...); err != nil {
			return nil, fmt.Errorf("select the pending entries of %d orders: %w", len(part), err)
		}
		for _, n := range found {
			pending[n] = true
		}
	}
	return pending, nil
}

// boughtOf reads the counts in SQL for fields of the bought hash; fields that SQL doesn't have are absent.
func boughtOf(ctx context.Context, q sqlx.QueryerContext, activity string, fields []string) (map[string]int64, error) {
	users := map[string][]any{} // by counted
	for _, field := range fields {
		if counted, user, ok := lua.ParseBoughtField(field); ok {
			users[counted] = append(users[counted], user)
		}
	}
	has := make(map[string]int64, len(fields))
	for _, counted := range slices.Sorted(maps.Keys(users)) {
		for part := range slices.Chunk(users[counted], suspectRows) {
			var rows []struct {
				Name string `db:"name"`
				N    int64  `db:"n"`
			}
			query := `SELECT name, n FROM activity_counts WHERE activity_id = ? AND counted = ? AND name IN (` +
				sqldb.In(len(part)) + `)`
			if err := sqlx.SelectContext(ctx, q, &rows, query,
				append([]any{activity, counted}, part...)...); err != nil {
				return nil, fmt.Errorf("select what %d users bought in %s: %w", len(part), activity, err)
			}
			for _, r := range rows {
				has[lua.BoughtField(counted, r.Name)] = r.N
			}
		}
	}
	return has, nil
}

// restocking returns which of the users, or with all which users at all, have an order that SQL has restocked and Redis
// may not have yet.
func restocking(
	ctx context.Context, q sqlx.QueryerContext, activity string, users map[string]bool, all bool,
) (map[string]bool, error) {
	found := map[string]bool{}
	for part := range slices.Chunk(slices.Collect(maps.Keys(users)), suspectRows) {
		var names []string
		query := `SELECT user_id FROM stock_outbox WHERE state = 'pending' AND activity_id = ?
			AND kind IN ('restock', 'swap') AND (? OR user_id IN (` + sqldb.In(len(part)) + `))`
		if err := sqlx.SelectContext(ctx, q, &names, query,
			append([]any{activity, all}, sqldb.Args(part)...)...); err != nil {
			return nil, fmt.Errorf("select pending restocks of %d users: %w", len(part), err)
		}
		for _, name := range names {
			found[name] = true
		}
	}
	return found, nil
}

// countedByHold returns the orders of users that SQL doesn't count as bought but Redis may: cached
// orders and entries without a record that SQL doesn't have or has as failed, and cancelled orders whose
// return is pending; with all, also such orders of other users. Redis counts an order as long as it has its hold.
func countedByHold(
	ctx context.Context, q sqlx.QueryerContext, s *lua.Scripts, lane int, activity string, users map[string]bool,
	waiting []order.Number, all bool,
) (map[order.Number]bool, error) {
	found := map[order.Number]bool{}
	for _, n := range waiting {
		found[n] = true
	}
	if len(users) == 0 {
		return found, nil
	}
	names := slices.Sorted(maps.Keys(users))
	cached := make([]*redis.StringSliceCmd, len(names))
	_, err := s.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, user := range names {
			cached[i] = p.HVals(ctx, s.Keys.Orders(lane, user))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read cached orders of %d users: %w", len(names), err)
	}
	for _, cmd := range cached {
		for _, data := range cmd.Val() {
			if o, err := order.DecodeRecord([]byte(data)); err == nil && o.Activity == activity {
				found[o.Number] = true
			}
		}
	}
	states, err := statesOf(ctx, q, activity, slices.Collect(maps.Keys(found)))
	if err != nil {
		return nil, err
	}
	for n, o := range states {
		if o.Status != order.Failed {
			delete(found, n)
		}
	}
	args := []any{activity, string(order.OutboxReturn) + ":", string(order.OutboxReturn) + ";", all}
	args = append(args, sqldb.Args(names)...)
	var returns []order.Number
	query := `SELECT order_number FROM stock_outbox WHERE state = 'pending' AND activity_id = ? AND outbox_id > ?
		AND outbox_id < ?
		AND (? OR user_id IN (` + sqldb.In(len(names)) + `))`
	if err := sqlx.SelectContext(ctx, q, &returns, query, args...); err != nil {
		return nil, fmt.Errorf("select pending returns of %d users: %w", len(names), err)
	}
	for _, n := range returns {
		found[n] = true
	}
	return found, nil
}
