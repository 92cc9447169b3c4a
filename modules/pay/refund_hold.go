package pay

import (
	"context"
	"errors"
	"fmt"
)

var (
	// errNothingLeft says that less of a transaction's money is left than a refund would send back.
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

// decide returns why a refund must not be sent now; nil if it may.
func (m moneyOf) decide(amount int64) error {
	switch {
	case amount > m.Paid-m.Back:
		return errNothingLeft
	case amount > m.Paid-m.Back-m.Going-m.Disputed:
		return errHeld
	}
	return nil
}

// hold keeps a refund from being sent that must not be, and reports whether it does: checkLeft looked when the refund
// was asked for, and since then a dispute may have begun, or an operator have refunded at the gateway. A refund that is
// under way is only queried.
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
	switch cause := m.decide(refund.Amount); {
	case errors.Is(cause, errNothingLeft):
		return true, r.failed(ctx, refund, cause)
	case cause != nil && m.Disputed == 0:
		return true, r.wait(ctx, refund, WaitsForGateway, cause)
	case cause != nil:
		return true, r.wait(ctx, refund, WaitsForDispute, cause)
	}
	return false, nil
}
