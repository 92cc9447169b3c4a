package hosted

import (
	"encoding/json"
	"fmt"

	"onrush/modules/journal"
	"onrush/modules/order"
)

// Change is what happened to one order.
type Change struct {
	Type   string // of its event, such as order.paid
	Number string // of the order
	User   string
	AtMS   int64           // UTC milliseconds
	Order  json.RawMessage // the order after the change, as events have it
	Refund json.RawMessage // of order.refunded: the refund, as events have it; else nil
}

// view is an order as events have it.
type view struct {
	order.View
	User   string              `json:"user_id"`
	Events []order.ViewLogLine `json:"events,omitempty"` // hides View.Events
}

// changesOf returns the changes of events; orders[i] is the order of events[i] after it.
func changesOf(events []journal.Event, orders []*order.Order) ([]Change, error) {
	changes := make([]Change, len(events))
	for i, e := range events {
		o := *orders[i]
		o.Cached = false // it is in SQL now
		text, err := json.Marshal(view{View: order.NewView(&o, nil), User: o.User})
		if err != nil {
			return nil, fmt.Errorf("write order %s for the host: %w", o.Number, err)
		}
		changes[i] = Change{Type: e.Type, Number: e.Subject, User: e.User, AtMS: e.AtMS, Order: text}
		if e.Type != journal.OrderRefunded {
			continue
		}
		var state struct {
			Refund json.RawMessage `json:"refund"`
		}
		if err := json.Unmarshal([]byte(e.Data), &state); err != nil {
			return nil, fmt.Errorf("read the refund of order %s: %w", o.Number, err)
		}
		changes[i].Refund = state.Refund
	}
	return changes, nil
}
