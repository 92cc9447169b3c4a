package queue

import (
	"cmp"
	"context"
	"errors"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/oplog"
	"onrush/modules/problem"
)

// recorded carries out an operator's action on a dead entry in Redis by do, and records it. The record is committed
// after Redis has answered, so a refused action isn't recorded. If the commit fails, the entry is gone and the answer
// is an error. If a failover may still undo the action, it is recorded, and the error says so.
func (insp *Inspector) recorded(ctx context.Context, action string, item DeadItem, do func() error) error {
	done := false // Redis isn't asked again if the transaction is
	var unconfirmed error
	err := insp.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := oplog.Record(ctx, tx,
			oplog.Entry{Action: action, On: "dead:" + item.DeadID, Before: item}); err != nil {
			return err
		}
		if done {
			return nil
		}
		err := do()
		if errors.Is(err, lua.ErrUnconfirmed) {
			err, unconfirmed = nil, problem.Unavailable(err,
				"It is done, but a failover of Redis may still undo it: look whether the entry comes back.")
		}
		done = err == nil
		return err
	})
	return cmp.Or(err, unconfirmed)
}
