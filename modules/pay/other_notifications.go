package pay

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

// report processes, once, a notification of another kind than KindMoney: it flags the payment, reopens a refund that
// failed, and books a refund that was made at the gateway. A notification for an unknown payment is acknowledged after
// a few deliveries, since other programs may use the same merchant account; so is a refund of money that has not come.
func (pr *Processor) report(ctx context.Context, channel string, n Notification) error {
	if n.Kind == KindRefundedOutside {
		if outside, err := pr.refundedOutside(ctx, channel, &n); err != nil || !outside {
			return err
		}
	}
	pr.log.WarnContext(ctx, "gateway reported on a payment", "channel", channel, "kind", n.Kind,
		"pay_number", n.PayNumber, "transaction_id", n.TransactionID, "refund_number", n.RefundNumber,
		"reason", n.Reason)
	number, err := pr.findReported(ctx, channel, n)
	if err != nil || number == 0 {
		return err
	}
	n.PayNumber = number
	err = pr.db.InTx(ctx, func(tx *sqlx.Tx) error { return pr.applyReport(ctx, tx, channel, n) })
	if err != nil && !sqldb.IsDuplicate(err) { // of a duplicate, the notification was processed before
		return problem.Unavailable(err, "The payment can't be stored right now.")
	}
	return nil
}

// applyReport processes a report on the payment n.PayNumber in a transaction.
func (pr *Processor) applyReport(ctx context.Context, tx *sqlx.Tx, channel string, n Notification) error {
	p, err := LockPayment(ctx, tx, n.PayNumber)
	if err != nil {
		return err
	}
	at := pr.now()
	if err := insertNotification(ctx, tx, channel, n, outcomeOf(n), at.UnixMilli()); err != nil {
		return err
	}
	switch n.Kind {
	case KindRefundFailed:
		if err = pr.reopen(ctx, tx, p, n, at); err == nil {
			err = takeBackOutside(ctx, tx, p, n, at)
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

// findReported returns the number of the payment that a report is about, or 0 if no payment of this program is. The
// error is unavailable for the first few deliveries of a report whose payment is not found.
func (pr *Processor) findReported(ctx context.Context, channel string, n Notification) (order.Number, error) {
	number, err := pr.selectReported(ctx, channel, n)
	if err == nil && number == 0 {
		enough, countErr := pr.countUnknown(ctx, channel, "report:"+sign.Digest(16, n.EventID))
		if countErr != nil || !enough {
			return 0, problem.Unavailable(countErr, "The payment is not known.")
		}
		number, err = pr.paymentNamed(ctx, channel, n.PayNumber)
	}
	if err != nil {
		return 0, problem.Unavailable(err, "The payment can't be read right now.")
	}
	return number, nil
}

// selectReported returns the number of the payment that a report is about, or 0.
func (pr *Processor) selectReported(ctx context.Context, channel string, n Notification) (order.Number, error) {
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
