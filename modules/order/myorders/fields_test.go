package myorders

import (
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/order/admin"
	"onrush/test/fields"
	"onrush/test/kit"
)

// These tests follow every field of an order through the record, SQL and the views, and name the one that
// got lost on the way. A new field needs no change here, unless it is omitted from one of them on purpose.

// Fields that one of the ways omits, each with the reason.
var (
	notInSQL = map[string]string{
		"Order.Version": "the lowest that has all fields",
		"Order.Cached":  "of orders in Redis",
	}
	notInOperatorView = map[string]string{
		"Order.Version":  "of the record",
		"Order.Task":     "names the submit, for its buyer",
		"Order.Digest":   "only distinguishes requests",
		"Order.Cached":   "shown as source",
		"Order.Trace":    "its id is in the first line of the log",
		"Order.LimitKey": "a digest",
		"Item.Line":      "the place in the list",
		"LogLine.Order":  "the order's number",
		"LogLine.Seq":    "the place in the list",
	}
	// onlyForOperators are not in a buyer's view.
	onlyForOperators = map[string]string{
		"Order.User":       "the buyer knows",
		"Order.PlacedFrom": "an address of the network",
		"LogLine.Actor":    "names of operators",
		"LogLine.ClientIP": "an address of the network",
		"LogLine.TraceID":  "for operators",
	}
)

func TestSQLAndTheViewsKeepEveryField(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		traceID := trace.TraceID{7}
		ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: traceID, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled,
		}))
		want := fields.Order(t)
		event := order.LogLine{
			Order: want.Number, Seq: 1, AtMS: int64(want.PlacedAt) + 77, Actor: "who", Action: "what",
			ClientIP: "10.9.8.7", TraceID: traceID.String(),
		}
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			placed := *want
			placed.Items = slices.Clone(want.Items)
			placed.Items[0].VoucherCodes = nil // it gets them when it is paid
			if err := order.Insert(ctx, tx, []*order.Order{&placed}, nil); err != nil {
				return err
			}
			const voucher = `INSERT INTO vouchers (order_number, line, unit, code, status)
				VALUES (?, 1, 1, ?, 'active')`
			if _, err := tx.ExecContext(ctx, voucher, want.Number, want.Items[0].VoucherCodes[0]); err != nil {
				return err
			}
			f := want.Fulfilment
			const fulfilled = `INSERT INTO fulfilments (order_number, state, packed_ms, shipped_ms, delivered_ms,
				carrier, tracking_number) VALUES (?, ?, ?, ?, ?, ?, ?)`
			if _, err := tx.ExecContext(ctx, fulfilled, want.Number, f.State, f.PackedAt, f.ShippedAt, f.DeliveredAt,
				f.Carrier, f.TrackingNumber); err != nil {
				return err
			}
			return order.AddLogLine(ctx, tx, event)
		}))
		orders := NewService(s.DB, nil, time.Now, nil)
		got, events, err := orders.stored(ctx, want.Number)
		require.NoError(t, err)
		fields.AssertKept(t, "SQL", *want, *got, notInSQL)
		require.Len(t, events, 1)
		fields.AssertKept(t, "SQL", event, events[0], notInSQL)

		buyers, err := orders.Get(ctx, want.User, want.Number)
		require.NoError(t, err)
		operators, err := admin.NewService(s.DB, nil).List(ctx, admin.Filter{}, api.Page{Page: 1, Size: 1})
		require.NoError(t, err)
		require.Len(t, operators.Items, 1)
		for view, shown := range map[string]any{"the buyer's view": buyers, "the operators' view": operators.Items[0]} {
			absent := func(field string) bool {
				return notInOperatorView[field] != "" || view == "the buyer's view" && onlyForOperators[field] != ""
			}
			values := fields.ValuesOf(t, shown)
			fields.AssertShown(t, view, *want, values, absent)
			fields.AssertShown(t, view, event, values, absent)
		}
	})
}
