package admin

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// DeciderDeps are the dependencies of a Decider.
type DeciderDeps struct {
	order.Deps
	Canceller *order.Canceller
	Outbox    *order.StockOutbox
	Payer     *order.Payer
	// Paid reports whether a payment paid an order.
	Paid func(ctx context.Context, q sqlx.QueryerContext, n order.Number) (bool, error)
	// Number returns new numbers, for refunds.
	Number func() order.Number
}

// Decider carries out what operators decide about orders.
type Decider struct {
	db        *sqldb.DB
	canceller *order.Canceller
	outbox    *order.StockOutbox
	payer     *order.Payer
	decided   order.Decided
	paid      func(ctx context.Context, q sqlx.QueryerContext, n order.Number) (bool, error)
	number    func() order.Number
	now       func() time.Time
}

// NewDecider returns a Decider over d.DB.
func NewDecider(d DeciderDeps) *Decider {
	return &Decider{
		db: d.DB, canceller: d.Canceller, outbox: d.Outbox, payer: d.Payer, decided: d.Decided, paid: d.Paid,
		number: d.Number, now: d.Clock.Now,
	}
}

// decision is what the operators' log has of a decision.
type decision struct {
	Reason string `json:"reason"`
}

// record writes a decision into the operators' log.
func record(ctx context.Context, tx *sqlx.Tx, action string, n order.Number, reason string) error {
	return oplog.Record(ctx, tx, oplog.Entry{Action: action, On: "order:" + n.String(), After: decision{reason}})
}

// Cancel cancels an unpaid order that SQL has, and returns its units. An order that is cancelled already stays so,
// without an error. by is the operator.
func (d *Decider) Cancel(ctx context.Context, n order.Number, by order.LogLine, reason string) error {
	return d.canceller.CancelStored(ctx, n, by, func(ctx context.Context, tx *sqlx.Tx) error {
		return record(ctx, tx, "order.cancelled", n, reason)
	})
}

// MarkPaid makes an unpaid order that SQL has paid, without a payment: the money came by another way. Pending payments
// of it are closed. If the order is not unpaid, the error is a conflict. MarkRefunded records that such money went
// back.
func (d *Decider) MarkPaid(ctx context.Context, n order.Number, by order.LogLine, reason string) error {
	err := d.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := order.LockOrders(ctx, tx, []order.Number{n}); err != nil {
			return err
		}
		won, err := d.payer.Pay(ctx, tx, n, d.now().UnixMilli(), by)
		if err != nil {
			return err
		}
		if !won {
			return notUnpaid(ctx, tx, n)
		}
		if err := d.decided(ctx, tx, []order.Number{n}); err != nil {
			return err
		}
		return record(ctx, tx, "order.marked_paid", n, reason)
	})
	return err
}

// notUnpaid returns why an order can't be paid.
func notUnpaid(ctx context.Context, tx *sqlx.Tx, n order.Number) error {
	found, err := order.SelectAll(ctx, tx, []order.Number{n})
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return problem.NotFound("order")
	}
	return problem.Errorf(problem.CodeConflict, "The order is %s; only an unpaid order can be marked paid.",
		found[0].Status)
}
