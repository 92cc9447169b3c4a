package pay

import (
	"context"
	"errors"
	"fmt"
)

var (
	// errNothingLeft says that nothing of a transaction's money is left that a refund could send back.
	errNothingLeft = errors.New("the money went back otherwise: by a refund at the gateway, or a lost dispute")
	// errHeld says that a dispute, or another refund, may leave less money than a refund would send back.
	errHeld = errors.New("the money may go back otherwise: by a dispute, or another refund")
)

// moneyOf is the money of a transaction, as a refund of it finds it.
type moneyOf struct {
	Paid     int64 `db:"paid"`
	Back     int64 `db:"back"`     // what went back by other refunds, and by lost disputes
	Going    int64 `db:"going"`    // by refunds that the gateway has, or that are sent before this one
	Disputed int64 `db:"disputed"` // by open disputes; their gateway refunds none of it
}

// decide returns how much of its amount a refund sends, or why it must not be sent now. It is less than the amount if
// less is left: the gateway would refuse the rest, and with it all, at each try.
func (m moneyOf) decide(amount int64) (send int64, err error) {
	left := m.Paid - m.Back
	send = min(amount, left)
	switch {
	case left <= 0:
		return 0, errNothingLeft
	case send > left-m.Going-m.Disputed:
		return 0, errHeld
	}
	return send, nil
}

// hold keeps a refund from being sent that must not be, and reports whether it does: checkLeft looked when the refund
// was asked for, and since then a dispute may have begun, or an operator have refunded at the gateway. It lowers the
// refund by what went back so. A refund that is under way is only queried.
func (r *Refunder) hold(ctx context.Context, refund *Refund) (held bool, err error) {
	if refund.UnderWayMS != 0 {
		return false, nil
	}
	var m moneyOf
	const query = `SELECT
		(SELECT COALESCE(SUM(amount), 0) FROM payment_transactions WHERE channel = ? AND transaction_id = ?) AS paid,
		(SELECT COALESCE(SUM(amount), 0) FROM refunds WHERE channel = ? AND transaction_id = ? AND status = 'done')
			+ (SELECT COALESCE(SUM(amount), 0) FROM disputes WHERE pay_number = ? AND transaction_id = ?
				AND state = 'lost') AS back,
		(SELECT COALESCE(SUM(amount), 0) FROM refunds WHERE channel = ? AND transaction_id = ? AND status = 'pending'
			AND refund_number <> ? AND (under_way_ms > 0 OR refund_number < ?)) AS going,
		(SELECT COALESCE(SUM(amount), 0) FROM disputes WHERE pay_number = ? AND transaction_id = ?
			AND state = 'open' AND refundable = 0) AS disputed`
	if err := r.db.Write.GetContext(ctx, &m, query, refund.Channel, refund.Transaction, refund.Channel,
		refund.Transaction, refund.Payment, refund.Transaction, refund.Channel, refund.Transaction, refund.Number,
		refund.Number, refund.Payment, refund.Transaction); err != nil {
		return false, fmt.Errorf("read the money that refund %s is of: %w", refund.Number, err)
	}
	switch send, cause := m.decide(refund.Amount); {
	case errors.Is(cause, errNothingLeft):
		return true, r.failed(ctx, refund, cause)
	case cause != nil && m.Disputed == 0:
		return true, r.wait(ctx, refund, WaitsForGateway, cause)
	case cause != nil:
		return true, r.wait(ctx, refund, WaitsForDispute, cause)
	case send < refund.Amount:
		return r.lower(ctx, refund, send)
	}
	return false, nil
}

// lower takes from a refund what went back otherwise. It reports that the refund is held if it was changed or sent
// meanwhile.
func (r *Refunder) lower(ctx context.Context, refund *Refund, amount int64) (held bool, err error) {
	const update = `UPDATE refunds SET amount = ?
		WHERE refund_number = ? AND status = 'pending' AND under_way_ms = 0 AND amount = ?`
	res, err := r.db.Write.ExecContext(ctx, update, amount, refund.Number, refund.Amount)
	if err != nil {
		return false, fmt.Errorf("lower refund %s: %w", refund.Number, err)
	}
	lowered, err := res.RowsAffected()
	if err != nil || lowered == 0 {
		return true, err
	}
	r.log.WarnContext(ctx, "refund lowered to the money that is left: the rest went back otherwise", "refund_number",
		refund.Number, "amount", amount, "before", refund.Amount)
	refund.Amount = amount
	return false, nil
}
