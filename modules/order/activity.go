package order

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order/sqldb"
)

// Stored is what loading and auditing an activity need of an order that SQL has.
type Stored struct {
	Number   Number `db:"number"`
	User     string `db:"user_id"`
	Task     string `db:"task_id"`
	Digest   string `db:"digest"`
	Status   Status `db:"status"`
	Reason   string `db:"reason"`
	Point    string `db:"point_id"`
	SKU      string `db:"sku_id"`
	Quantity int64  `db:"quantity"`
}

// storedPage bounds how many orders are read at once.
const storedPage = 2000

// EachStored calls fn with all orders of an activity that SQL has, a page at a time.
func EachStored(ctx context.Context, q sqlx.QueryerContext, activity string, fn func([]Stored) error) error {
	const query = `SELECT o.number, o.user_id, o.task_id, o.digest, o.status, o.reason, o.point_id, i.sku_id, i.quantity
		FROM orders o JOIN order_items i ON i.order_number = o.number AND i.line = 1
		WHERE o.activity_id = ? AND o.number > ? ORDER BY o.number LIMIT ?`
	for last := Number(0); ; {
		var page []Stored
		if err := sqlx.SelectContext(ctx, q, &page, query, activity, last, storedPage); err != nil {
			return fmt.Errorf("select orders of activity %s: %w", activity, err)
		}
		if len(page) == 0 {
			return nil
		}
		if err := fn(page); err != nil {
			return err
		}
		last = page[len(page)-1].Number
	}
}

// PendingReturns are the orders of an activity whose cancelled units are not back in Redis yet.
func PendingReturns(ctx context.Context, q sqlx.QueryerContext, activity string) (map[Number]Stored, error) {
	var rows []Stored
	const query = `SELECT order_number AS number, user_id, '' AS task_id, '' AS digest, 'cancelled' AS status, '' AS reason,
		point_id, sku_id, quantity FROM stock_outbox WHERE state = 'pending' AND kind = 'return' AND activity_id = ?`
	if err := sqlx.SelectContext(ctx, q, &rows, query, activity); err != nil {
		return nil, fmt.Errorf("select pending returns of %s: %w", activity, err)
	}
	pending := make(map[Number]Stored, len(rows))
	for _, r := range rows {
		pending[r.Number] = r
	}
	return pending, nil
}

// PendingConfirms are the paid orders of an activity whose token Redis may still have.
func PendingConfirms(ctx context.Context, q sqlx.QueryerContext, activity string) ([]Number, error) {
	var numbers []Number
	const query = `SELECT order_number FROM stock_outbox WHERE state = 'pending' AND kind = 'confirm' AND activity_id = ?`
	if err := sqlx.SelectContext(ctx, q, &numbers, query, activity); err != nil {
		return nil, fmt.Errorf("select pending confirms of %s: %w", activity, err)
	}
	return numbers, nil
}

// Missing returns the entries whose order SQL doesn't have, each number once. An order of the same
// number that is another user's or of another activity is not the entry's.
func Missing(ctx context.Context, q sqlx.QueryerContext, entries []Entry) (map[Number]Entry, error) {
	missing := make(map[Number]Entry, len(entries))
	for chunk := range slices.Chunk(entries, 1000) {
		args := make([]any, len(chunk))
		for i, e := range chunk {
			args[i] = e.Number
			missing[e.Number] = e
		}
		var rows []struct {
			Number   Number `db:"number"`
			User     string `db:"user_id"`
			Activity string `db:"activity_id"`
		}
		query := `SELECT number, user_id, activity_id FROM orders WHERE number IN (` + sqldb.In(len(args)) + `)`
		if err := sqlx.SelectContext(ctx, q, &rows, query, args...); err != nil {
			return nil, fmt.Errorf("select which of %d orders are stored: %w", len(args), err)
		}
		for _, r := range rows {
			if e := missing[r.Number]; e.User == r.User && e.Activity == r.Activity {
				delete(missing, r.Number)
			}
		}
	}
	return missing, nil
}

// ByTask reads the order of a task from SQL; a task that SQL doesn't know is sql.ErrNoRows. The MAC at
// the end of the id, which changes with the path secret, is left out of the search.
func ByTask(ctx context.Context, db *sqldb.DB, task string) (*Stored, error) {
	var s Stored
	const query = `SELECT number, user_id, task_id, digest, status, reason, point_id, '' AS sku_id, 0 AS quantity
		FROM orders WHERE task_id >= ? AND task_id < ? ORDER BY task_id LIMIT 1`
	from, to := task, task+"\x00"
	if TaskHash(task) != "" {
		body := task[:strings.LastIndexByte(task, '.')]
		from, to = body+".", body+"/" // '/' comes after '.'
	}
	if err := db.Read.GetContext(ctx, &s, query, from, to); err != nil {
		return nil, fmt.Errorf("select order of task: %w", err)
	}
	return &s, nil
}

// EntriesOf picks an activity's entries out of a lane's queue and dead entries.
func EntriesOf(activity string, queue []string, dead map[string]string) []Entry {
	var entries []Entry
	add := func(raw string) {
		if e, err := ParseEntry(raw); err == nil && e.Activity == activity {
			entries = append(entries, e)
		}
	}
	for _, raw := range queue {
		add(raw)
	}
	for _, value := range dead {
		var d DeadEntry
		if json.Unmarshal([]byte(value), &d) == nil {
			add(d.Entry)
		}
	}
	return entries
}

// Records reads the cached orders of queue entries; one without a readable record is left out.
func Records(ctx context.Context, s *lua.Scripts, lane int, entries []Entry) ([]*Order, error) {
	var orders []*Order
	for len(entries) > 0 {
		chunk := entries[:min(len(entries), 500)]
		entries = entries[len(chunk):]
		cmds := make([]*redis.StringCmd, len(chunk))
		_, err := s.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, e := range chunk {
				cmds[i] = p.HGet(ctx, s.Keys.Orders(lane, e.User), lua.OrderField(e.Number.String()))
			}
			return nil
		})
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("read records: %w", err)
		}
		for i, cmd := range cmds {
			data, err := cmd.Bytes()
			switch {
			case errors.Is(err, redis.Nil):
				continue
			case err != nil:
				return nil, fmt.Errorf("read record: %w", err)
			}
			o, err := DecodeKnown(data)
			if err == nil && o.Number == chunk[i].Number && o.User == chunk[i].User && o.Activity == chunk[i].Activity {
				orders = append(orders, o)
			}
		}
	}
	return orders, nil
}
