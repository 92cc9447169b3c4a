package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"onrush/modules/api"
	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/order/complete"
)

// orderStates has the state of an order after each type of event; "" if the event doesn't change it.
var orderStates = map[string]order.Status{
	journal.OrderPlaced:    order.Unpaid,
	journal.OrderPaid:      order.Paid,
	journal.OrderCancelled: order.Cancelled,
	journal.OrderRefunded:  order.Refunded,
	journal.OrderFailed:    order.Failed,

	journal.OrderVouchersGiven: order.Paid,

	journal.OrderPayExtended: order.Unpaid, journal.OrderSKUChanged: "",

	journal.OrderAddressChanged: "", journal.OrderPacked: "", journal.OrderShipped: "", journal.OrderDelivered: "",
}

// orderData is the content of an order's event: the order as operators see it, without its log.
type orderData struct {
	Order  orderView            `json:"order"`
	Refund *order.RefundOfOrder `json:"refund,omitempty"` // of order.refunded
	journal.SKUChanged
}

type orderView struct {
	order.View
	User   string              `json:"user_id"`
	Events []order.ViewLogLine `json:"events,omitempty"` // hides View.Events
}

// render returns the events of rows. It reads the orders of all of them together.
func (f *Feed) render(ctx context.Context, rows []row) ([]Event, error) {
	orders, err := f.orders(ctx, rows)
	if err != nil {
		return nil, err
	}
	events := make([]Event, len(rows))
	for i := range rows {
		r := &rows[i]
		e := Event{ID: r.Position, Type: r.Type, Subject: r.Subject, User: r.User, At: api.Millis(r.AtMS)}
		if status, ok := orderStates[r.Type]; ok {
			o := orders[r.Subject]
			if e.Data, err = renderOrder(o, status, r); err != nil {
				return nil, err
			}
			if o != nil {
				e.Trace = o.Trace
			}
		} else {
			e.Data = renderStored(r.Data)
		}
		events[i] = e
	}
	return events, nil
}

// orders reads the orders of rows, by their numbers.
func (f *Feed) orders(ctx context.Context, rows []row) (map[string]*order.Order, error) {
	var numbers []order.Number
	for i := range rows {
		if _, ok := orderStates[rows[i].Type]; !ok {
			continue
		}
		if n, err := order.ParseNumber(rows[i].Subject); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	orders, err := order.SelectAll(ctx, f.db.Read, slices.Compact(numbers))
	if err != nil && !errors.Is(err, order.ErrBadRecord) {
		return nil, fmt.Errorf("read the orders of events: %w", err)
	}
	if err := complete.Fill(ctx, f.db.Read, orders); err != nil {
		return nil, fmt.Errorf("read the orders of events: %w", err)
	}
	found := make(map[string]*order.Order, len(orders))
	for _, o := range orders {
		if len(o.Items) > 0 { // else its record can't be read
			found[o.Number.String()] = o
		}
	}
	return found, nil
}

// renderOrder returns the data of an order's event. An order that SQL doesn't have, or whose record can't be
// read, is shown by its number, user and status: one broken row must not hold up all later events.
func renderOrder(o *order.Order, status order.Status, r *row) (json.RawMessage, error) {
	if o != nil {
		then := stateAt(o, status, r)
		return json.Marshal(orderData{
			Order: orderView{View: order.NewView(&then, nil), User: o.User}, Refund: refundAt(r), SKUChanged: skuAt(r),
		})
	}
	known := map[string]any{"order_number": r.Subject, "user_id": r.User}
	if status != "" {
		known["status"] = status
	}
	return json.Marshal(map[string]any{"order": known})
}

// refundAt returns the refund of an event, or nil.
func refundAt(r *row) *order.RefundOfOrder {
	var state order.RefundState
	if r.Type != journal.OrderRefunded || json.Unmarshal([]byte(r.Data), &state) != nil || state.Refund.Number == 0 {
		return nil
	}
	return &state.Refund
}

// skuAt returns which sku an order had before its event, if another one.
func skuAt(r *row) (changed journal.SKUChanged) {
	if r.Type == journal.OrderSKUChanged {
		_ = json.Unmarshal([]byte(r.Data), &changed)
	}
	return changed
}

// statusAt returns the status of an order at its event: after the refund of a part it is still paid.
func statusAt(r *row) order.Status {
	state := order.RefundState{Status: orderStates[r.Type]}
	if r.Type == journal.OrderRefunded {
		_ = json.Unmarshal([]byte(r.Data), &state) // without data, all of it was refunded
	}
	return state.Status
}

// stateAt returns an order as it was at its event, which gave it a status. After an event that gave it none, the order
// has the status of now.
func stateAt(o *order.Order, status order.Status, r *row) order.Order {
	then := *o
	then.Fulfilment = fulfilmentAt(o.Fulfilment, r.Type)
	if status == "" {
		return then
	}
	then.Status, then.RefundedAmount = status, 0
	if r.Type == journal.OrderRefunded {
		state := order.RefundState{Status: status, Amount: o.RefundedAmount}
		_ = json.Unmarshal([]byte(r.Data), &state) // without data, the order as it is now
		then.Status, then.RefundedAmount = state.Status, state.Amount
	}
	switch then.Status {
	case order.Unpaid:
		then.PaidMS, then.CancelledMS, then.Reason = 0, 0, ""
	case order.Paid:
		then.CancelledMS, then.Reason = 0, ""
		return then
	default:
	}
	then.Items = slices.Clone(o.Items)
	for i := range then.Items {
		then.Items[i].VoucherCodes, then.Items[i].VouchersWaiting = nil, 0
	}
	return then
}

// fulfilmentAt returns how far an order had come at an event: before it was packed, nil. Later events of its status,
// such as a refund, have the present state.
func fulfilmentAt(is *order.Fulfilment, kind string) *order.Fulfilment {
	if is == nil || kind == journal.OrderRefunded {
		return is
	}
	then := *is
	switch kind {
	case journal.OrderPacked:
		return &order.Fulfilment{State: order.Packed, PackedAt: is.PackedAt}
	case journal.OrderShipped:
		then.State, then.DeliveredAt = order.Shipped, 0
	case journal.OrderDelivered:
	default:
		return nil
	}
	return &then
}

// renderStored returns data as it was written; {} if that is no JSON.
func renderStored(data string) json.RawMessage {
	if !json.Valid([]byte(data)) {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(data)
}
