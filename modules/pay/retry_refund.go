package pay

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Operations has the operators' operations on payments and refunds.
type Operations struct {
	db       *sqldb.DB
	payer    *order.Payer
	gateways Gateways
	now      func() time.Time
	number   func() order.Number
	faults   order.Faults
}

// NewOperations returns Operations.
func NewOperations(d Deps) *Operations {
	return &Operations{d.DB, d.Payer, d.Gateways, d.Clock.Now, d.Number, d.Faults}
}

// Retry sends a failed refund again, from the start of its backoff.
func (o *Operations) Retry(ctx context.Context, n order.Number) (*RefundView, error) {
	var changed int64
	err := o.db.InTx(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx,
			`UPDATE refunds SET status = 'pending', attempts = 0, next_try_ms = ?, waits_for = ''
				WHERE refund_number = ? AND status <> 'done' AND outside_id = ''`, o.now().UnixMilli(), n)
		if err != nil {
			return err
		}
		if changed, err = res.RowsAffected(); err != nil || changed == 0 {
			return err
		}
		return oplog.Record(ctx, tx, oplog.Entry{Action: "refund.retried", On: "refund:" + n.String()})
	})
	if err != nil {
		return nil, problem.Unavailable(err, "The refund can't be retried right now.")
	}
	r, err := FindRefund(ctx, o.db.Write, n)
	switch {
	case err != nil:
		return nil, err
	case changed == 0 && r.Outside != "":
		return nil, problem.Errorf(problem.CodeConflict, "The refund was made at the gateway, not here.")
	case changed == 0:
		return nil, problem.Errorf(problem.CodeConflict, "The refund is done.")
	}
	return ShowRefund(r), nil
}

// FindRefund reads a refund with its items; if there is none the error is not_found.
func FindRefund(ctx context.Context, q sqlx.QueryerContext, n order.Number) (*Refund, error) {
	r := make([]Refund, 1)
	err := sqlx.GetContext(ctx, q, &r[0], `SELECT `+RefundColumns+` FROM refunds WHERE refund_number = ?`, n)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, problem.NotFound("refund")
	}
	if err == nil {
		err = FillItems(ctx, q, r)
	}
	if err != nil {
		return nil, problem.Unavailable(err, "The refund can't be read right now.")
	}
	return &r[0], nil
}
