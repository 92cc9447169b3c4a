package admin

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// outside processes the money that operators take, and pay back, without a gateway.
type outside interface {
	// MarkPaid makes an unpaid order that SQL has paid. record runs in its transaction. If the order is not unpaid, the
	// error is a conflict.
	MarkPaid(
		ctx context.Context, n order.Number, by order.LogLine, record func(ctx context.Context, tx *sqlx.Tx) error,
	) error
	// BookRefund takes a part of a paid order whose money went back. Errors: as of order.Payer.Refund, and a conflict
	// if a gateway must pay it back.
	BookRefund(
		ctx context.Context, tx *sqlx.Tx, n order.Number, part order.Part, by order.LogLine, note string,
	) (*order.Returned, error)
}

// DeciderDeps are the dependencies of a Decider.
type DeciderDeps struct {
	order.Deps
	Canceller *order.Canceller
	Outbox    *order.StockOutbox
	Outside   outside
	// Number returns new numbers, for refunds.
	Number func() order.Number
}

// Decider carries out what operators decide about orders.
type Decider struct {
	db        *sqldb.DB
	canceller *order.Canceller
	outbox    *order.StockOutbox
	outside   outside
	number    func() order.Number
	now       func() time.Time
}

// NewDecider returns a Decider over d.DB.
func NewDecider(d DeciderDeps) *Decider {
	return &Decider{
		db: d.DB, canceller: d.Canceller, outbox: d.Outbox, outside: d.Outside, number: d.Number,
		now: d.Clock.Now,
	}
}

// decision is what the operators' log has of a decision.
type decision struct {
	Reason string `json:"reason"`
}

// record writes a decision into the operators' log, and that the request was carried out.
func record(ctx context.Context, tx *sqlx.Tx, action string, n order.Number, reason string) error {
	if err := idempotency.KeepDone(ctx, tx); err != nil {
		return err
	}
	return oplog.Record(ctx, tx, oplog.Entry{Action: action, On: "order:" + n.String(), After: decision{reason}})
}

// Cancel cancels an unpaid order that SQL has, and returns its units. An order that is cancelled already stays so,
// without an error. by is the operator.
func (d *Decider) Cancel(ctx context.Context, n order.Number, by order.LogLine, reason string) error {
	return d.canceller.CancelStored(ctx, n, by, func(ctx context.Context, tx *sqlx.Tx) error {
		return record(ctx, tx, "order.cancelled", n, reason)
	})
}

// MarkPaid makes an unpaid order that SQL has paid, by a payment of the channel outside: the money came by another way.
// Pending payments of it are closed. If the order is not unpaid, the error is a conflict. A refund of the order is
// under way until somebody reports it; MarkRefunded records one that was made already.
func (d *Decider) MarkPaid(ctx context.Context, n order.Number, by order.LogLine, reason string) error {
	return d.outside.MarkPaid(ctx, n, by, func(ctx context.Context, tx *sqlx.Tx) error {
		return record(ctx, tx, "order.marked_paid", n, reason)
	})
}
