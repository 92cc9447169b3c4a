package admin

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// OutsideRefund is the body of POST /orders/{order_number}/mark_refunded: the part of an order that was marked paid and
// whose money went back by another way. Without Amount and Items it is the rest of the order.
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

// MarkRefunded records that money of an order which was marked paid went back, with where it is found. The order and
// its vouchers change as by a refund that a gateway pays. Errors: as of order.Payer.Refund, and a conflict if a payment
// paid the order, since its gateway must pay it back.
func (d *Decider) MarkRefunded(ctx context.Context, n order.Number, by order.LogLine, req OutsideRefund) error {
	err := d.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := order.LockOrders(ctx, tx, []order.Number{n}); err != nil {
			return err
		}
		switch paid, err := d.paid(ctx, tx, n); {
		case err != nil:
			return err
		case paid:
			return problem.Errorf(problem.CodeConflict,
				"A payment paid the order: refund it, and its gateway pays back.")
		}
		number := d.number()
		part := order.Part{Refund: number, Amount: req.Amount, Items: req.Items, Force: req.Force}
		back, err := d.payer.Refund(ctx, tx, n, part, d.now().UnixMilli(), by)
		if err != nil {
			return err
		}
		return oplog.Record(ctx, tx, oplog.Entry{
			Action: "order.marked_refunded", On: "order:" + n.String(),
			After: outsideRefund{OutsideRefund: req, Number: number, Taken: back.Amount},
		})
	})
	return err
}
