package outside

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/journal"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
)

// ReportRequest is the body of POST /refunds/{refund_number}/report: whether the shop paid the money of a refund back.
// Amount and Currency repeat the refund's, so that nobody reports another one by mistake.
type ReportRequest struct {
	Status   pay.RefundStatus `json:"status" validate:"required,oneof=done failed"`
	Amount   *int64           `json:"amount" validate:"required,min=0,max=9007199254740991"`
	Currency string           `json:"currency" validate:"required,currency"`
	// Reference names the refund where it was made, Reason says why it failed.
	Reference string `json:"reference,omitempty" validate:"max=200,line"`
	Reason    string `json:"reason,omitempty" validate:"max=200,line"`
}

// Report ends a refund of this channel: it is done or failed. A report may be repeated, and changed: a failed refund
// may be done later, and one that was done may fail after all, which flags its payment. Errors: not_found, and a
// conflict for a refund of another channel or with another amount.
func (s *Service) Report(ctx context.Context, n order.Number, req ReportRequest) (*pay.RefundView, error) {
	r, err := pay.FindRefund(ctx, s.db.Write, n)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Channel != Channel:
		return nil, problem.Errorf(problem.CodeConflict, "The channel %s pays the refund back itself.", r.Channel)
	case *req.Amount != r.Amount, req.Currency != r.Currency:
		return nil, problem.Errorf(problem.CodeConflict, "The refund is %s; nothing was changed.",
			api.Money(r.Amount, r.Currency))
	}
	replayed := false
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		p, err := pay.LockPayment(ctx, tx, r.Payment)
		if err != nil {
			return err
		}
		if r, err = pay.FindRefund(ctx, tx, n); err != nil {
			return err
		}
		if replayed = r.Status == req.Status; replayed {
			return nil
		}
		if err := s.end(ctx, tx, p, r, req); err != nil {
			return err
		}
		r, err = pay.FindRefund(ctx, tx, n)
		return err
	})
	if err != nil {
		return nil, unavailable(err)
	}
	r.Replayed = replayed
	return pay.ShowRefund(r), nil
}

// end stores how a refund ended, in a transaction that has locked its payment.
func (s *Service) end(ctx context.Context, tx *sqlx.Tx, p *pay.Payment, r *pay.Refund, req ReportRequest) error {
	at := s.now().UnixMilli()
	kind, doneMS, reason := journal.RefundDone, at, ""
	if req.Status == pay.RefundFailed {
		kind, doneMS, reason = journal.RefundFailed, 0, "reported as failed: "+req.Reason
	}
	const update = `UPDATE refunds SET status = ?, done_ms = ?, last_error = ?, under_way_ms = 0, waits_for = ''
		WHERE refund_number = ? AND status = ?`
	res, err := tx.ExecContext(ctx, update, req.Status, doneMS, reason, r.Number, r.Status)
	if err != nil {
		return fmt.Errorf("set refund %s %s: %w", r.Number, req.Status, err)
	}
	switch changed, err := res.RowsAffected(); {
	case err != nil:
		return fmt.Errorf("set refund %s %s: %w", r.Number, req.Status, err)
	case changed == 0:
		return problem.Unavailable(nil, "The refund was changed in the meantime; report it again.")
	}
	back := int64(0)
	switch {
	case r.Transaction != p.Transaction: // the money paid no order
	case req.Status == pay.RefundDone:
		back = r.Amount
	case r.Status == pay.RefundDone:
		back = -r.Amount
	}
	if back != 0 {
		if err := pay.AddRefunded(ctx, tx, p, back); err != nil {
			return err
		}
	}
	if err := pay.WriteRefundEvent(ctx, tx, kind, r.Number, at); err != nil {
		return err
	}
	if r.Status == pay.RefundDone {
		if err := pay.FlagPayment(ctx, tx, p.Number, pay.ReasonRefundFailed, at); err != nil {
			return err
		}
	}
	return oplog.Record(ctx, tx, oplog.Entry{Action: "refund.reported", On: "refund:" + r.Number.String(), After: req})
}
