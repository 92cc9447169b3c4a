package pay

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// claim records that a refund is being sent. If another refund of its transaction was sent so shortly before that the
// gateway would refuse this one, claim makes it due when the gateway's pause is over, counts no attempt, and reports
// true. A refund that is under way is only queried, which needs no pause.
func (r *Refunder) claim(ctx context.Context, refund *Refund) (waits bool, err error) {
	gateway, ok := r.gateways[refund.Channel].(SpacedGateway)
	if !ok || refund.UnderWayMS != 0 {
		return false, nil
	}
	err = r.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := LockPayment(ctx, tx, refund.Payment); err != nil {
			return err
		}
		var lastMS int64
		const last = `SELECT COALESCE(MAX(sent_ms), 0) FROM refunds WHERE channel = ? AND transaction_id = ?
			AND refund_number <> ?`
		if err := tx.GetContext(ctx, &lastMS, last, refund.Channel, refund.Transaction, refund.Number); err != nil {
			return fmt.Errorf("select the last refund of a transaction: %w", err)
		}
		at := r.now()
		dueMS := time.UnixMilli(lastMS).Add(gateway.RefundSpacing()).UnixMilli()
		waits = lastMS != 0 && dueMS > at.UnixMilli()
		update, value := `UPDATE refunds SET sent_ms = ? WHERE refund_number = ?`, at.UnixMilli()
		if waits {
			update, value = `UPDATE refunds SET next_try_ms = ? WHERE refund_number = ? AND status = 'pending'`, dueMS
		}
		if _, err := tx.ExecContext(ctx, update, value, refund.Number); err != nil {
			return fmt.Errorf("claim refund %s: %w", refund.Number, err)
		}
		return nil
	})
	return waits, err
}
