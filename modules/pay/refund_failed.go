package pay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
)

// reopen sets a refund that failed to pending again, with a new number, since its gateway doesn't refund
// twice under the old one. If the refund had been done, reopen flags its payment. Each failure counts as
// an attempt. A report of an earlier number, or of a failed refund, changes nothing.
func (pr *Processor) reopen(ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, at time.Time) error {
	number, renewed, err := parseGatewayNumber(n.RefundNumber)
	if err != nil {
		return nil //nolint:nilerr // not a number of this program, so not one of its refunds
	}
	var refund Refund
	err = tx.GetContext(ctx, &refund, `SELECT `+RefundColumns+` FROM refunds WHERE refund_number = ?`, number)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (refund.Renewed != renewed || refund.Status == RefundFailed) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("select refund %s: %w", number, err)
	}
	status, attempts := RefundPending, refund.Attempts+1
	if attempts >= pr.cfg.RefundAttempts {
		status = RefundFailed
	}
	next := at.Add(pr.backoff.afterFailure(attempts)).UnixMilli()
	const update = `UPDATE refunds SET status = ?, attempts = ?, renewed = renewed + 1, next_try_ms = ?, last_error = ?,
		done_ms = 0, under_way_ms = 0, waits_for = ''
		WHERE refund_number = ? AND renewed = ? AND status = ?`
	res, err := tx.ExecContext(ctx, update, status, attempts, next,
		shorten("the gateway reported that it failed: "+n.Reason), number, renewed, refund.Status)
	if err != nil {
		return fmt.Errorf("reopen refund %s: %w", number, err)
	}
	if changed, err := res.RowsAffected(); err != nil || changed == 0 {
		return err // it was refused concurrently
	}
	if status == RefundFailed {
		if err := WriteRefundEvent(ctx, tx, journal.RefundFailed, number, at.UnixMilli()); err != nil {
			return err
		}
	}
	if refund.Status != RefundDone {
		return nil
	}
	if refund.Transaction == p.Transaction {
		if err := AddRefunded(ctx, tx, p, -refund.Amount); err != nil {
			return err
		}
	}
	return FlagPayment(ctx, tx, p.Number, ReasonRefundFailed, at.UnixMilli())
}

// takeBackOutside takes back the booked parts of a refund at the gateway that failed after all. The orders don't
// change, since their vouchers may be void: the flag tells an operator to decide.
func takeBackOutside(ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, at time.Time) error {
	var booked []Refund
	const query = `SELECT ` + RefundColumns + ` FROM refunds WHERE channel = ? AND transaction_id = ? AND outside_id = ?
		AND status = 'done' ORDER BY refund_number`
	if err := tx.SelectContext(ctx, &booked, query, p.Channel, n.TransactionID, n.RefundNumber); err != nil {
		return fmt.Errorf("select a refund at the gateway: %w", err)
	}
	var sum int64
	for _, r := range booked {
		const update = `UPDATE refunds SET status = 'failed', done_ms = 0, last_error = ? WHERE refund_number = ?`
		if _, err := tx.ExecContext(ctx, update, shorten("the gateway reported that it failed: "+n.Reason),
			r.Number); err != nil {
			return fmt.Errorf("take back refund %s: %w", r.Number, err)
		}
		if err := WriteRefundEvent(ctx, tx, journal.RefundFailed, r.Number, at.UnixMilli()); err != nil {
			return err
		}
		sum += r.Amount
	}
	if len(booked) == 0 {
		return nil
	}
	if n.TransactionID == p.Transaction {
		if err := AddRefunded(ctx, tx, p, -sum); err != nil {
			return err
		}
	}
	return FlagPayment(ctx, tx, p.Number, ReasonRefundFailed, at.UnixMilli())
}
