package journal

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// The types of events.
const (
	OrderPlaced    = "order.placed" // stored in SQL
	OrderPaid      = "order.paid"
	OrderCancelled = "order.cancelled"
	OrderRefunded  = "order.refunded"
	OrderFailed    = "order.failed"
	// OrderVouchersGiven tells of codes for which a paid order has waited.
	OrderVouchersGiven = "order.vouchers_given"
	// OrderAddressChanged tells that the buyer has changed the address of an order that is not packed.
	OrderAddressChanged = "order.address_changed"
	// OrderPayExtended tells that the deadline of an order was extended, since a payment is under way.
	OrderPayExtended = "order.pay_extended"
	// OrderSKUChanged tells that the buyer has swapped an order for another sku of its sale.
	OrderSKUChanged = "order.sku_changed"
	OrderPacked     = "order.packed"
	OrderShipped    = "order.shipped" // or its parcel was corrected
	OrderDelivered  = "order.delivered"
	// WaitlistOffered tells a buyer who waited that units are kept for them.
	WaitlistOffered = "waitlist.offered"
	// ReminderDue tells the platform whom to remind of a sale.
	ReminderDue = "reminder.due"

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
	ActivityPaused    = "activity.paused"
	ActivityResumed   = "activity.resumed"
)

// Types returns all types of events.
func Types() []string {
	return []string{
		OrderPlaced, OrderPaid, OrderCancelled, OrderRefunded, OrderFailed, OrderVouchersGiven,
		OrderAddressChanged, OrderPayExtended, OrderSKUChanged, OrderPacked, OrderShipped, OrderDelivered,
		WaitlistOffered, ReminderDue,
		PaymentFlagged, RefundDone, RefundFailed,
		DisputeOpened, DisputeUpdated, DisputeClosed,
		ActivityPublished, ActivityChanged, ActivityStarted, ActivitySoldOut, ActivityEnded,
		ActivityPaused, ActivityResumed,
	}
}

// Event is one change. Events of one subject keep their order if each transaction locks the row of the subject before
// it writes an event. A row with several events has a list of them, in the JSON of this type.
type Event struct {
	Type string `db:"type" json:"-"`
	// Subject is the number of an order, payment or refund, an activity, an entry of a waiting list, or a
	// reminder.
	Subject string `db:"subject" json:"subject"`
	User    string `db:"user_id" json:"user_id,omitempty"` // whose it is; "" if no buyer's
	AtMS    int64  `db:"at_ms" json:"at_ms"`               // UTC milliseconds
	// Data is the JSON of what changed, at most MaxData bytes; "" for most events of orders, which readers read.
	Data string `db:"data" json:"-"`
}

// SKUChanged is the data of an event of its name: the sku of an order before its buyer swapped it for another one.
type SKUChanged struct {
	FormerSKU string `json:"former_sku_id,omitempty"`
}

// MaxData bounds Event.Data in bytes, as its column does.
const MaxData = 65_535

var columns = sqldb.ColumnsOf[row]()

// Write inserts events in the transaction of the change, in few rows and statements (sqldb.Insert). Readers see them
// in the order of the arguments.
func Write(ctx context.Context, tx *sqlx.Tx, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	rows, err := rowsOf(events)
	if err != nil {
		return err
	}
	args := make([]any, 0, len(rows)*columns.Len())
	for i := range rows {
		args = columns.AppendTo(args, &rows[i])
	}
	if err := columns.Insert(ctx, tx, "events", args); err != nil {
		return fmt.Errorf("insert %d events: %w", len(events), err)
	}
	return nil
}
