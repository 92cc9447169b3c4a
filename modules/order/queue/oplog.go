package queue

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
)

// recorded carries out an operator's action on a dead entry in Redis by do, and records it. The record is committed
// after Redis has answered, so a refused action isn't recorded. If the commit fails, the entry is gone and the answer
// is an error.
func (insp *Inspector) recorded(ctx context.Context, action string, item DeadItem, do func() error) error {
	done := false // Redis isn't asked again if the transaction is
	return insp.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := oplog.Record(ctx, tx,
			oplog.Entry{Action: action, On: "dead:" + item.DeadID, Before: item}); err != nil {
			return err
		}
		if done {
			return nil
		}
		err := do()
		done = err == nil
		return err
	})
}
