package pay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

// refundKey is an operator's Idempotency-Key of a refund.
type refundKey struct {
	Task   string       `db:"task_id"`
	Digest string       `db:"digest"`
	Refund order.Number `db:"refund_number"` // 0 for a request that refunds many orders
}

// newRefundKey returns a key of an operator. parts are the route, the header, and whatever else distinguishes the keys
// that the program derives from one header.
func newRefundKey(by Operator, digest string, parts ...string) refundKey {
	return refundKey{Task: "refund." + sign.Digest(16, append([]string{by.Name}, parts...)...), Digest: digest}
}

// errReplayed says that the key of a refund was used in the meantime.
var errReplayed = errors.New("the key was used")

// replayRefund returns the refund that was made with a key, or nil.
func (o *Operations) replayRefund(ctx context.Context, key refundKey) (*Refund, error) {
	had, err := selectKey(ctx, o.db.Write, key)
	if err != nil || had == nil {
		return nil, err
	}
	refund, err := FindRefund(ctx, o.db.Write, had.Refund)
	if refund != nil {
		refund.Replayed = true
	}
	return refund, err
}

// selectKey reads a key that was used, or nil; for another body it is idempotency_key_reused.
func selectKey(ctx context.Context, q sqlx.QueryerContext, key refundKey) (*refundKey, error) {
	var had refundKey
	err := sqlx.GetContext(ctx, q, &had, `SELECT task_id, digest, refund_number FROM refund_keys WHERE task_id = ?`,
		key.Task)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("select key of a refund: %w", err)
	case had.Digest != key.Digest:
		return nil,
			problem.Errorf(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used for another refund.")
	}
	return &had, nil
}

func insertKey(ctx context.Context, tx *sqlx.Tx, key refundKey, atMS int64) error {
	const insert = `INSERT INTO refund_keys (task_id, digest, refund_number, created_ms) VALUES (?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, key.Task, key.Digest, key.Refund, atMS); err != nil {
		return fmt.Errorf("insert key of a refund: %w", err)
	}
	return nil
}

// claimKey stores the key of a request for many orders, so that another body with the same key is refused.
func (o *Operations) claimKey(ctx context.Context, key refundKey) error {
	had, err := selectKey(ctx, o.db.Write, key)
	if err == nil && had == nil {
		err = o.db.InTx(ctx, func(tx *sqlx.Tx) error { return insertKey(ctx, tx, key, o.now().UnixMilli()) })
		if sqldb.IsDuplicate(err) { // the same key at the same time
			_, err = selectKey(ctx, o.db.Write, key)
		}
	}
	return err
}
