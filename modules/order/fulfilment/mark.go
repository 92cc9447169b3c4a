package fulfilment

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/journal"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/order/versions"
	"onrush/modules/problem"
)

// Marker marks orders as packed, shipped and delivered.
type Marker struct{ d MarkerDeps }

// NewMarker returns a Marker.
func NewMarker(d MarkerDeps) *Marker { return &Marker{d} }

// eventTypes has the events of marks.
var eventTypes = map[order.FulfilmentState]string{
	order.Packed: journal.OrderPacked, order.Shipped: journal.OrderShipped, order.Delivered: journal.OrderDelivered,
}

// Mark marks an order, which is stored first if only Redis has it. A mark that the order has already changes nothing,
// without an error. by is the operator; also, if it is not nil, runs in the transaction. Errors: not_found, also for an
// order outside the operator's shop; conflict for a mark that the order can't have; unavailable.
func (m *Marker) Mark(
	ctx context.Context, n order.Number, by order.LogLine, mark Mark, also func(context.Context, *sqlx.Tx) error,
) error {
	if err := m.d.Ensure.EnsureNumber(ctx, n); err != nil {
		return err
	}
	err := m.d.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := m.mark(ctx, tx, n, by, mark); err != nil || also == nil {
			return err
		}
		return also(ctx, tx)
	})
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(err, "The order can't be marked right now.")
	}
	return err
}

// Marked is what the operators' log has of a mark.
type Marked struct {
	State          order.FulfilmentState `json:"state"`
	Carrier        string                `json:"carrier,omitempty"`
	TrackingNumber string                `json:"tracking_number,omitempty"`
}

// markedOf returns what the log has of a fulfilment: nil before the order is packed.
func markedOf(f order.Fulfilment) any {
	if f.State == "" {
		return nil
	}
	return Marked{f.State, f.Carrier, f.TrackingNumber}
}

func (m *Marker) mark(ctx context.Context, tx *sqlx.Tx, n order.Number, by order.LogLine, mark Mark) error {
	o, err := lock(ctx, tx, n)
	if err == nil && api.Outside(ctx, o.Shop) {
		err = problem.NotFound("order")
	}
	if err != nil {
		return err
	}
	s := standingOf(o)
	changes, err := s.decide(mark)
	if err != nil || !changes {
		return err
	}
	by.Order, by.AtMS, by.Action = n, m.d.Now().UnixMilli(), string(mark.State)
	next := mark.after(s.is, api.Millis(by.AtMS))
	if err := write(ctx, tx, n, s.is.State, next); err != nil {
		return err
	}
	if err := order.AddLogLine(ctx, tx, by); err != nil {
		return err
	}
	if err := oplog.Record(ctx, tx, oplog.Entry{
		Action: eventTypes[mark.State], On: "order:" + n.String(), Before: markedOf(s.is), After: markedOf(next),
	}); err != nil {
		return err
	}
	return tell(ctx, tx, eventTypes[mark.State], o, by.AtMS)
}

// lock locks an order's row until the transaction ends, and reads the order with its fulfilment.
func lock(ctx context.Context, tx *sqlx.Tx, n order.Number) (*order.Order, error) {
	o, err := order.LockOrder(ctx, tx, n)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, problem.NotFound("order")
	case err != nil:
		return nil, err
	}
	found, err := complete.Fulfilments(ctx, tx, []order.Number{n})
	o.Fulfilment = found[n]
	return o, err
}

// tell writes the event of an order, and that lists show it otherwise. It comes last in a transaction.
func tell(ctx context.Context, tx *sqlx.Tx, kind string, o *order.Order, atMS int64) error {
	e := journal.Event{Type: kind, Subject: o.Number.String(), User: o.User, AtMS: atMS}
	if err := journal.Write(ctx, tx, e); err != nil {
		return err
	}
	return versions.Raise(ctx, tx, o.User)
}

// write stores the fulfilment that follows a state, and the label by which operators find the order.
func write(ctx context.Context, tx *sqlx.Tx, n order.Number, from order.FulfilmentState, f order.Fulfilment) error {
	statements := []struct {
		text string
		args []any
	}{
		{
			`UPDATE fulfilments SET state = ?, packed_ms = ?, shipped_ms = ?, delivered_ms = ?, carrier = ?,
				tracking_number = ? WHERE order_number = ? AND state = ?`,
			[]any{f.State, f.PackedAt, f.ShippedAt, f.DeliveredAt, f.Carrier, f.TrackingNumber, n, from},
		},
		{
			`UPDATE order_labels SET value = ? WHERE name = ? AND value = ? AND number = ?`,
			[]any{f.State, order.LabelFulfilment, from, n},
		},
	}
	if from == "" {
		statements[0].text = `INSERT INTO fulfilments (state, packed_ms, shipped_ms, delivered_ms, carrier,
			tracking_number, order_number) VALUES (?, ?, ?, ?, ?, ?, ?)`
		statements[0].args = statements[0].args[:7]
		statements[1].text = `INSERT INTO order_labels (value, name, number) VALUES (?, ?, ?)`
		statements[1].args = []any{f.State, order.LabelFulfilment, n}
	}
	for _, s := range statements {
		res, err := tx.ExecContext(ctx, s.text, s.args...)
		if err != nil {
			return fmt.Errorf("mark order %s as %s: %w", n, f.State, err)
		}
		if rows, err := res.RowsAffected(); err != nil || rows != 1 {
			return errors.Join(err, fmt.Errorf("order %s is no longer %q, although its row is locked", n, from))
		}
	}
	return nil
}
