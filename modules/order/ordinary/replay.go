package ordinary

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

// taskPrefix returns the start of the task ids of the orders that a user placed with one Idempotency-Key: lane 0, and
// a hash of both. ids.Join adds the ordinal of the order.
func taskPrefix(user, key string) string { return ids.Join("0", sign.Digest(16, user, key)) }

// taskOf returns the task id of one of the orders. The ordinal has two digits, so that ids sort
// like ordinals.
func taskOf(prefix string, ordinal int) string { return ids.Join(prefix, fmt.Sprintf("%02d", ordinal)) }

// digestOf returns the digest by which requests are compared: base64url of 12 bytes of a hash of the JSON, without the
// confirmation, since a buyer who confirms again may repeat a request that was accepted before.
func digestOf(r Request) (string, error) {
	r.Confirmation = ""
	body, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("digest request: %w", err)
	}
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:12]), nil
}

// replay returns the orders that a user placed with a key before, in their current state, or nil.
func (p *Placer) replay(ctx context.Context, user, prefix, digest string) ([]order.View, error) {
	var orders []*order.Order
	var lines map[order.Number][]order.LogLine
	err := p.db.InView(ctx, func(tx *sqlx.Tx) error {
		var err error
		from, to := ids.Range(prefix)
		if orders, err = order.SelectWhere(ctx, tx, `task_id >= ? AND task_id < ?`, from, to); err != nil {
			return fmt.Errorf("select orders of a key: %w", err)
		}
		slices.SortFunc(orders, func(a, b *order.Order) int { return cmp.Compare(a.Task, b.Task) })
		if err := complete.Fill(ctx, tx, orders); err != nil {
			return err
		}
		numbers := make([]order.Number, len(orders))
		for i, o := range orders {
			numbers[i] = o.Number
		}
		lines, err = order.SelectLog(ctx, tx, numbers)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, o := range orders {
		if o.User != user || o.Digest != digest {
			return nil,
				problem.Errorf(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used for another request.")
		}
	}
	if len(orders) == 0 {
		return nil, nil
	}
	return viewsOf(orders, lines), nil
}

// taskTaken reports whether a task id is stored.
func (p *Placer) taskTaken(ctx context.Context, task string) (bool, error) {
	var n int
	const query = `SELECT (SELECT COUNT(*) FROM orders WHERE task_id = ?)
		+ (SELECT COUNT(*) FROM orders_archive WHERE task_id = ?)`
	if err := p.db.Write.GetContext(ctx, &n, query, task, task); err != nil {
		return false, fmt.Errorf("look for task: %w", err)
	}
	return n > 0, nil
}

func viewsOf(orders []*order.Order, lines map[order.Number][]order.LogLine) []order.View {
	views := make([]order.View, len(orders))
	for i, o := range orders {
		views[i] = order.NewView(o, lines[o.Number])
	}
	return views
}
