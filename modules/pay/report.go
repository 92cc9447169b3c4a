package pay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

// report processes, once, a notification of another kind than KindMoney: it flags the payment, reopens a refund that
// failed, and books one that was made at the gateway. One for an unknown payment is acknowledged after a few
// deliveries, since other programs may use the same merchant account; so is a refund of money that has not come.
func (pr *Processor) report(ctx context.Context, channel string, n Notification) error {
	if n.Kind == KindRefundedOutside {
		if outside, err := pr.refundedOutside(ctx, channel, &n); err != nil || !outside {
			return err
		}
	}
	pr.log.WarnContext(ctx, "gateway reported on a payment", "channel", channel, "kind", n.Kind,
		"pay_number", n.PayNumber, "transaction_id", n.TransactionID, "refund_number", n.RefundNumber,
		"reason", n.Reason)
	number, err := pr.reported(ctx, channel, n)
	if err != nil {
		return problem.Unavailable(err, "The payment can't be read right now.")
	}
	if number == 0 {
		enough, err := pr.countUnknown(ctx, channel, "report:"+sign.Digest(16, n.EventID))
		if err != nil || !enough {
			return problem.Unavailable(err, "The payment is not known.")
		}
		if number, err = pr.paymentNamed(ctx, channel, n.PayNumber); err != nil {
			return problem.Unavailable(err, "The payment can't be read right now.")
		}
		if number == 0 {
			return nil
		}
	}
	err = pr.db.InTx(ctx, func(tx *sqlx.Tx) error {
		p, err := lockPayment(ctx, tx, number)
		if err != nil {
			return err
		}
		at := pr.now()
		n.PayNumber = number
		if err := insertEvent(ctx, tx, channel, n, outcomeOf(n), at.UnixMilli()); err != nil {
			return err
		}
		switch n.Kind {
		case KindRefundFailed:
			if err = pr.reopen(ctx, tx, p, n, at); err == nil {
				err = pr.takeBackOutside(ctx, tx, p, n, at)
			}
		case KindDisputed:
			err = pr.dispute(ctx, tx, p, n, at)
		case KindRefundedOutside:
			err = pr.bookOutside(ctx, tx, p, n, at)
		case KindMoney:
			err = errors.New("money is no report")
		}
		if err != nil {
			return err
		}
		return pr.faults.After("report_before_commit")
	})
	switch {
	case sqldb.IsDuplicate(err): // the notification was processed before
		return nil
	case err != nil:
		return problem.Unavailable(err, "The payment can't be stored right now.")
	}
	return nil
}

// maxOutcome bounds an outcome, as its column does.
const maxOutcome = 32

// outcomeOf returns the outcome of a report, which names each step of a dispute.
func outcomeOf(n Notification) outcome {
	if n.Kind != KindDisputed || n.Dispute.Status == "" {
		return outcome(n.Kind)
	}
	text := "dispute_" + n.Dispute.Status
	return outcome(text[:min(len(text), maxOutcome)])
}

// reported returns the number of the payment that a report is about, or 0.
func (pr *Processor) reported(ctx context.Context, channel string, n Notification) (order.Number, error) {
	var found []order.Number
	var err error
	switch {
	case n.Kind == KindRefundFailed:
		number, _, parseErr := parseGatewayNumber(n.RefundNumber)
		if parseErr != nil {
			number = 0 // not a number of this program, but perhaps one of a refund that was made at the gateway
		}
		err = pr.db.Write.SelectContext(ctx, &found, `SELECT pay_number FROM refunds WHERE channel = ?
			AND (refund_number = ? OR (transaction_id = ? AND outside_id = ?)) LIMIT 1`,
			channel, number, n.TransactionID, n.RefundNumber)
	case n.PayNumber != 0 && n.Kind != KindRefundedOutside:
		return pr.paymentNamed(ctx, channel, n.PayNumber)
	default:
		const query = `SELECT t.pay_number FROM payment_transactions t
			JOIN payments p ON p.pay_number = t.pay_number AND p.channel = t.channel
			WHERE t.channel = ? AND t.transaction_id = ?`
		err = pr.db.Write.SelectContext(ctx, &found, query, channel, n.TransactionID)
	}
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], nil
}

// paymentNamed returns n if it is the number of a payment of the channel, or else 0.
func (pr *Processor) paymentNamed(ctx context.Context, channel string, n order.Number) (order.Number, error) {
	var found []order.Number
	err := pr.db.Write.SelectContext(ctx, &found,
		`SELECT pay_number FROM payments WHERE pay_number = ? AND channel = ?`, n, channel)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], nil
}

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
	wait := min(pr.cfg.RefundWait<<min(attempts-1, 20), pr.cfg.RefundWaitMax)
	const update = `UPDATE refunds SET status = ?, attempts = ?, renewed = renewed + 1, next_try_ms = ?, last_error = ?,
		done_ms = 0, under_way_ms = 0, waits_for = ''
		WHERE refund_number = ? AND renewed = ? AND status = ?`
	res, err := tx.ExecContext(ctx, update, status, attempts, at.Add(wait).UnixMilli(),
		shorten("the gateway reported that it failed: "+n.Reason), number, renewed, refund.Status)
	if err != nil {
		return fmt.Errorf("reopen refund %s: %w", number, err)
	}
	if changed, err := res.RowsAffected(); err != nil || changed == 0 {
		return err // it was refused concurrently
	}
	if status == RefundFailed {
		if err := writeRefundEvent(ctx, tx, journal.RefundFailed, number, at.UnixMilli()); err != nil {
			return err
		}
	}
	if refund.Status != RefundDone {
		return nil
	}
	if refund.Transaction == p.Transaction {
		if err := addRefunded(ctx, tx, p, -refund.Amount); err != nil {
			return err
		}
	}
	return flagPayment(ctx, tx, p.Number, ReasonRefundFailed, at.UnixMilli())
}
