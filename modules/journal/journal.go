package journal

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// The types of events.
const (
	OrderPlaced       = "order.placed" // stored in SQL
	OrderPaid         = "order.paid"
	OrderCancelled    = "order.cancelled"
	OrderRefunded     = "order.refunded"
	OrderFailed       = "order.failed"
	PaymentFlagged    = "payment.flagged"
	RefundDone        = "refund.done"
	RefundFailed      = "refund.failed"
	DisputeOpened     = "dispute.opened"
	DisputeUpdated    = "dispute.updated"
	DisputeClosed     = "dispute.closed"
	ActivityPublished = "activity.published"
	ActivityChanged   = "activity.changed"
	ActivityStarted   = "activity.started"
	ActivitySoldOut   = "activity.sold_out"
	ActivityEnded     = "activity.ended"
)

// Types returns all types of events.
func Types() []string {
	return []string{
		OrderPlaced, OrderPaid, OrderCancelled, OrderRefunded, OrderFailed, PaymentFlagged, RefundDone, RefundFailed,
		DisputeOpened, DisputeUpdated, DisputeClosed,
		ActivityPublished, ActivityChanged, ActivityStarted, ActivitySoldOut, ActivityEnded,
	}
}

// Event is one change. Events of one subject keep their order, if the transactions that write them lock the
// subject's row before.
type Event struct {
	Type    string `db:"type"`
	Subject string `db:"subject"` // the number of an order, payment or refund, or an activity
	User    string `db:"user_id"` // whose it is; "" if no buyer's
	AtMS    int64  `db:"at_ms"`   // UTC milliseconds
	// Data is the JSON of what changed, at most MaxData bytes; "" for events of orders, which readers read.
	Data string `db:"data"`
}

// MaxData bounds Event.Data in bytes, as its column does.
const MaxData = 65_535

var columns = sqldb.ColumnsOf[Event]()

// Write inserts events in the transaction of the change, in few statements (sqldb.Insert).
func Write(ctx context.Context, tx *sqlx.Tx, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	args := make([]any, 0, len(events)*columns.Len())
	for i := range events {
		args = columns.AppendTo(args, &events[i])
	}
	if err := columns.Insert(ctx, tx, "events", args); err != nil {
		return fmt.Errorf("insert %d events: %w", len(events), err)
	}
	return nil
}
