package pay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// RetryRequest is the body of POST /refunds:retry: which refunds are sent again at once. Empty fields
// select all refunds that failed or wait.
type RetryRequest struct {
	Status   RefundStatus `json:"status" validate:"omitempty,oneof=failed pending"`
	WaitsFor WaitsFor     `json:"waits_for" validate:"omitempty,oneof=gateway balance dispute"`
	Channel  string       `json:"channel" validate:"omitempty,max=16,visible"`
	Reason   string       `json:"reason" validate:"max=32"` // one of RefundReasons
}

// Retried says how many refunds one call sends again, and how many more the request selects.
type Retried struct {
	Retried   int `json:"retried"`
	Remaining int `json:"remaining"`
}

// retryPage is the number of refunds per call of RetryAll.
const retryPage = 1000

// RetryAll sends the selected refunds again at once, from the start of their backoff, at most the oldest
// 1000. These are refunds that failed or that wait for their gateway or for the merchant's balance, but
// not those under way.
func (o *Operations) RetryAll(ctx context.Context, req RetryRequest) (Retried, error) {
	if req.Reason != "" && !slices.Contains(RefundReasons, req.Reason) {
		return Retried{}, problem.Invalid("reason", "must be one of %s", strings.Join(RefundReasons, ", "))
	}
	var w sqldb.Where
	w.And("(status = 'failed' OR (status = 'pending' AND waits_for <> '')) AND outside_id = ''")
	w.AndIf(req.Status != "", "status = ?", req.Status)
	w.AndIf(req.WaitsFor != "", "status = 'pending' AND waits_for = ?", req.WaitsFor)
	w.AndIf(req.Channel != "", "channel = ?", req.Channel)
	w.AndIf(req.Reason != "", "reason = ?", req.Reason)
	var answer Retried
	err := o.db.InTx(ctx, func(tx *sqlx.Tx) error {
		answer = Retried{}
		var numbers []order.Number
		query := `SELECT refund_number FROM refunds` + w.String() + ` ORDER BY refund_number LIMIT ?`
		if err := tx.SelectContext(ctx, &numbers, query, w.Args(retryPage)...); err != nil {
			return fmt.Errorf("select refunds to retry: %w", err)
		}
		if len(numbers) == 0 {
			return nil
		}
		update := `UPDATE refunds SET status = 'pending', attempts = 0, next_try_ms = ?, waits_for = ''
			WHERE status <> 'done' AND refund_number IN (` + sqldb.In(len(numbers)) + `)`
		res, err := tx.ExecContext(ctx, update, append([]any{o.now().UnixMilli()}, sqldb.Args(numbers)...)...)
		if err != nil {
			return fmt.Errorf("retry %d refunds: %w", len(numbers), err)
		}
		changed, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("retry %d refunds: %w", len(numbers), err)
		}
		answer.Retried = int(changed)
		if err := oplog.Record(ctx, tx,
			oplog.Entry{Action: "refund.retried", On: "refunds", Before: req, After: answer}); err != nil {
			return err
		}
		if err := tx.GetContext(ctx, &answer.Remaining, `SELECT COUNT(*) FROM refunds`+w.String(),
			w.Args()...); err != nil {
			return fmt.Errorf("count refunds to retry: %w", err)
		}
		return nil
	})
	if err != nil {
		return Retried{}, problem.Unavailable(err, "The refunds can't be retried right now.")
	}
	return answer, nil
}
