package myorders

import (
	"encoding/json"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/admin"
	"onrush/test/fields"
	"onrush/test/kit"
	"onrush/web/api"
)

// These tests follow every field of an order through the record, SQL and the views, and name the one that
// got lost on the way. A new field needs no change here, unless it is omitted from one of them on purpose.

// Fields that one of the ways omits, each with the reason.
var (
	notInSQL = map[string]string{
		"Order.Cached": "of orders in Redis",
	}
	notInOperatorView = map[string]string{
		"Order.Task":       "names the submit, for its buyer",
		"Order.Digest":     "only distinguishes requests",
		"Order.SearchName": "the titles once more",
		"Order.Address":    "shown field by field",
		"Order.Fields":     "shown field by field",
		"Order.Items":      "shown field by field",
		"Order.Cached":     "shown as source",
		"Item.Order":       "the order's number",
		"Item.Line":        "the place in the list",
		"Event.Order":      "the order's number",
		"Event.Seq":        "the place in the list",
	}
	// onlyForOperators are not in a buyer's view.
	onlyForOperators = map[string]string{
		"Order.User":       "the buyer knows",
		"Order.PlacedFrom": "an address of the network",
		"Event.Actor":      "names of operators",
		"Event.ClientIP":   "an address of the network",
	}
)

func TestSQLAndTheViewsKeepEveryField(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		want := fields.Order(t)
		event := order.Event{
			Order: want.Number, Seq: 1, AtMS: want.PlacedMS + 77, Actor: "who", Action: "what", ClientIP: "10.9.8.7",
		}
		require.NoError(t, s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			if err := order.Insert(ctx, tx, []*order.Order{want}); err != nil {
				return err
			}
			const voucher = `INSERT INTO vouchers (order_number, line, unit, code, status)
				VALUES (?, 1, 1, ?, 'active')`
			if _, err := tx.ExecContext(ctx, voucher, want.Number, want.Items[0].VoucherCodes[0]); err != nil {
				return err
			}
			return order.AddEvent(ctx, tx, event)
		}))
		orders := NewService(s.DB, nil, nil, nil)
		got, events, err := orders.stored(ctx, want.Number)
		require.NoError(t, err)
		fields.AssertKept(t, "SQL", *want, *got, notInSQL)
		require.Len(t, got.Items, 1)
		fields.AssertKept(t, "SQL", want.Items[0], got.Items[0], notInSQL)
		require.Len(t, events, 1)
		fields.AssertKept(t, "SQL", event, events[0], notInSQL)

		var address catalogue.Address
		require.NoError(t, json.Unmarshal([]byte(want.Address), &address))
		var free map[string]string
		require.NoError(t, json.Unmarshal([]byte(want.Fields), &free))
		require.NotEmpty(t, free)

		buyers, err := orders.Get(ctx, want.User, want.Number)
		require.NoError(t, err)
		operators, err := admin.NewService(s.DB).List(ctx, admin.Filter{}, api.Page{Page: 1, Size: 1})
		require.NoError(t, err)
		require.Len(t, operators.Items, 1)
		for view, shown := range map[string]any{"the buyer's view": buyers, "the operators' view": operators.Items[0]} {
			absent := func(field string) bool {
				return notInOperatorView[field] != "" || view == "the buyer's view" && onlyForOperators[field] != ""
			}
			values := fields.ValuesOf(t, shown)
			for _, part := range []any{*want, want.Items[0], event, address} {
				fields.AssertShown(t, view, part, values, absent)
			}
			for _, value := range free {
				assert.True(t, values[value], "%s lacks a free field", view)
			}
		}
	})
}
