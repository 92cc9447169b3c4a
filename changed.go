package onrush

import (
	"context"
	"database/sql"
	"encoding/json"

	"onrush/modules/order/hosted"
)

// The types of changes of orders, which are types of events as well.
const (
	OrderPlaced    = "order.placed"    // SQL has the order, which is unpaid
	OrderPaid      = "order.paid"      // its money came
	OrderCancelled = "order.cancelled" // by its buyer, an operator, or since it was not paid in time
	OrderRefunded  = "order.refunded"  // wholly or in part; the money may still be on its way
	OrderFailed    = "order.failed"    // SQL has the order, for which there were no units; it is never paid
)

// Change is what happened to one order.
type Change struct {
	Type   string // OrderPlaced, OrderPaid, OrderCancelled, OrderRefunded or OrderFailed
	Number string // of the order: digits
	User   string // the buyer
	AtMS   int64  // when, in UTC milliseconds
	// Order is the order after the change, an object as the events of orders have it, but without voucher codes: with
	// status, items, total_amount and refunded_amount in minor units of currency, and client_reference.
	Order json.RawMessage
	// Refund is, of OrderRefunded, an object with refund_number, amount, currency, and items if it named some.
	Refund json.RawMessage
}

// changed returns Changed as the server takes it; nil if there is none.
func (c *Config) changed() hosted.Func {
	if c.Changed == nil {
		return nil
	}
	return func(ctx context.Context, tx *sql.Tx, changes []hosted.Change) error {
		own := make([]Change, len(changes))
		for i, change := range changes {
			own[i] = Change(change)
		}
		return c.Changed(ctx, tx, own)
	}
}
