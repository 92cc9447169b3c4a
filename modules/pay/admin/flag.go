package admin

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// outcomeCleared is the outcome of an operator's entry that cleared a flag.
const outcomeCleared = "flag_cleared"

// flagValue is what the operators' log has of a flag.
type flagValue struct {
	Flag   string `json:"flag"`
	Reason string `json:"reason,omitempty"`
}

// ClearFlag removes the flag of a payment that an operator has dealt with, once: the payment's log says who
// did it and why. A payment without a flag is a conflict. A later report of the gateway may flag it again.
func (s *Service) ClearFlag(ctx context.Context, who string, n order.Number, reason string) (*PaymentDetail, error) {
	var cleared *PaymentDetail
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		var flags []string
		const lock = `UPDATE payments SET flag = flag WHERE pay_number = ?`
		if _, err := tx.ExecContext(ctx, lock, n); err != nil {
			return fmt.Errorf("lock payment %s: %w", n, err)
		}
		if err := tx.SelectContext(ctx, &flags, `SELECT flag FROM payments WHERE pay_number = ?`, n); err != nil {
			return fmt.Errorf("select the flag of payment %s: %w", n, err)
		}
		switch {
		case len(flags) == 0:
			return problem.NotFound("payment")
		case flags[0] == "":
			return problem.Errorf(problem.CodeConflict, "The payment has no flag.")
		}
		if _, err := tx.ExecContext(ctx, `UPDATE payments SET flag = '' WHERE pay_number = ?`, n); err != nil {
			return fmt.Errorf("clear the flag of payment %s: %w", n, err)
		}
		const insert = `INSERT INTO payment_notifications (channel, event_id, pay_number, transaction_id, amount,
			currency, outcome, at_ms, flag, who, note)
			SELECT channel, ?, pay_number, transaction_id, 0, currency, ?, ?, ?, ?, ? FROM payments
			WHERE pay_number = ?`
		if _, err := tx.ExecContext(ctx, insert, "operator:"+s.number().String(), outcomeCleared,
			s.now().UnixMilli(), flags[0], "operator:"+who, reason, n); err != nil {
			return fmt.Errorf("insert notification of payment %s: %w", n, err)
		}
		var err error
		if cleared, err = selectDetail(ctx, tx, n); err != nil {
			return err
		}
		return oplog.Record(ctx, tx, oplog.Entry{
			Action: "payment.flag_cleared", On: "payment:" + n.String(), Before: flagValue{Flag: flags[0]},
			After: flagValue{Reason: reason},
		})
	})
	if err != nil {
		return nil, err
	}
	return cleared, nil
}
