package admin

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/order"
)

// OutsideRefund is the body of POST /orders/{order_number}/mark_refunded: the part of an order that was paid outside
// and whose money went back already. Without Amount and Items it is the rest of the order.
type OutsideRefund struct {
	Amount *int64        `json:"amount,omitempty" validate:"omitempty,min=0,max=9007199254740991"`
	Items  []order.Units `json:"items,omitempty" validate:"max=100,dive"`
	Force  bool          `json:"force,omitempty"`
	// Reference names the refund where it was made, such as the number of a bank transfer.
	Reference string `json:"reference" validate:"required,max=200,line,said"`
	Reason    string `json:"reason" validate:"required,max=200,line,said"`
}

// outsideRefund is what the operators' log has of a refund outside.
type outsideRefund struct {
	OutsideRefund
	Number order.Number `json:"refund_number"`
	Taken  int64        `json:"refunded_amount"`
}

// MarkRefunded records that money of an order which was paid outside went back, with where it is found. The order and
// its vouchers change as by a refund that a gateway pays. Errors: as of order.Payer.Refund, and a conflict if a gateway
// has the money, since it must pay it back.
func (d *Decider) MarkRefunded(ctx context.Context, n order.Number, by order.LogLine, req OutsideRefund) error {
	return d.db.InTx(ctx, func(tx *sqlx.Tx) error {
		number := d.number()
		part := order.Part{Refund: number, Amount: req.Amount, Items: req.Items, Force: req.Force}
		back, err := d.outside.BookRefund(ctx, tx, n, part, by, req.Reason)
		if err != nil {
			return err
		}
		if err := idempotency.KeepDone(ctx, tx); err != nil {
			return err
		}
		return oplog.Record(ctx, tx, oplog.Entry{
			Action: "order.marked_refunded", On: "order:" + n.String(),
			After: outsideRefund{OutsideRefund: req, Number: number, Taken: back.Amount},
		})
	})
}
