package fulfilment

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/problem"
	"onrush/test/kit"
)

var parcel = Mark{State: order.Shipped, Carrier: "DHL", TrackingNumber: "J1"}

func TestMarkedOrdersHaveTheirStateTheirLogAndTheirEvents(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, ctx := open(stores), t.Context()
		s.places(t, 1, order.Paid, nil)
		packed, delivered := Mark{State: order.Packed}, Mark{State: order.Delivered}
		for _, mark := range []Mark{packed, packed, parcel, parcel, delivered} {
			require.NoError(t, s.marker.Mark(ctx, 1, by, mark, nil))
		}
		assert.Equal(t, []string{"packed", "shipped", "delivered"}, s.log(t, 1), "each once")
		assert.Equal(t, []string{"order.packed", "order.shipped", "order.delivered"}, s.events(t, 1))
		orders, err := order.SelectAll(ctx, s.db.Read, []order.Number{1})
		require.NoError(t, err)
		require.NoError(t, complete.Fill(ctx, s.db.Read, orders))
		when := api.Millis(at.UnixMilli())
		assert.Equal(t, &order.Fulfilment{
			State: order.Delivered, PackedAt: when, ShippedAt: when, DeliveredAt: when, Carrier: "DHL",
			TrackingNumber: "J1",
		}, orders[0].Fulfilment)
		var labels []string
		require.NoError(t, s.db.Read.SelectContext(ctx, &labels, `SELECT value FROM order_labels WHERE number = 1`))
		assert.Equal(t, []string{"delivered"}, labels)

		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(s.marker.Mark(ctx, 2, by, parcel, nil)))
		other := api.WithShop(ctx, "another")
		s.places(t, 3, order.Paid, nil)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(s.marker.Mark(other, 3, by, parcel, nil)))
		fails := func(context.Context, *sqlx.Tx) error { return problem.NotFound("key") }
		require.Error(t, s.marker.Mark(ctx, 3, by, parcel, fails))
		assert.Empty(t, s.log(t, 3), "the transaction ended with what also failed")
	})
}

func TestMarksThatComeAtOnceAreCarriedOutOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := open(stores)
		s.places(t, 1, order.Paid, nil)
		errs := kit.AtOnce(48, func(i int) error {
			mark := parcel
			if i%2 == 0 {
				mark = Mark{State: order.Packed}
			}
			return s.marker.Mark(t.Context(), 1, by, mark, nil)
		})
		for i, err := range errs {
			if i%2 == 1 || err != nil { // a packing that came after the shipping
				assert.True(t, err == nil || i%2 == 0 && problem.CodeOf(err) == problem.CodeConflict, "%d: %v", i, err)
			}
		}
		assert.Contains(t, []string{"packed shipped", "shipped"}, strings.Join(s.log(t, 1), " "))
		assert.Len(t, s.events(t, 1), len(s.log(t, 1)))
	})
}

func TestARowOfAFileThatIsRefusedDoesntKeepBackTheOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := open(stores)
		s.places(t, 1, order.Paid, nil)
		s.places(t, 2, order.Unpaid, nil)
		s.places(t, 3, order.Paid, nil)
		s.places(t, 4, order.Paid, func(o *order.Order) { o.Delivery, o.Address = catalogue.None, nil })
		s.places(t, 5, order.Paid, nil)
		for n := range order.Number(5) {
			s.places(t, n+6, order.Paid, nil)
		}
		require.NoError(t, s.marker.Mark(t.Context(), 8, by, parcel, nil))
		file := strings.Join([]string{
			"\ufefforder_number;status;fulfilment;carrier;tracking_number;remark", `'1;paid;;DHL;"=""007""";"a`,
			`5;;packed;;;b"`, "2;unpaid;;DHL;J2", "4;paid;packed", "", "5;paid;packed;;", "6;paid;shipped;;",
			"99;paid;;DHL;J9", "1.0E+3;;;DHL", "7;paid;lost", "9;paid;delivered;;;;more", "5;paid;shipped;UPS;J5",
			"10;paid;packed;UPS;J5", "8;paid;;DHL;J8", "3;paid;;DHL;7.73412E+14",
		}, "\r\n")
		for range 2 { // again, nothing changes
			done, err := s.marker.MarkFile(t.Context(), by, file)
			require.NoError(t, err)
			rows := []string{}
			for _, item := range done.Items {
				text := fmt.Sprintf("%d %d %s", item.Line, item.Order, item.State)
				if item.Error != nil {
					text += item.Error.Code
				}
				rows = append(rows, text)
			}
			assert.Equal(t, []string{
				"2 1 shipped", "4 2 conflict", "5 4 conflict", "7 5 packed", "8 6 invalid_request", "9 99 not_found",
				"10 0 invalid_request", "11 7 invalid_request", "12 0 invalid_request", "13 5 invalid_request",
				"14 10 shipped", "15 8 conflict", "16 3 invalid_request",
			}, rows)
			assert.Equal(t, "order_number is twice in this file", done.Items[9].Error.Detail)
			assert.Contains(t, done.Items[12].Error.Detail, "tracking_number is what a spreadsheet makes of")
			assert.Equal(t, len(done.Items), done.Marked+done.Failed)
		}
		assert.Equal(t, []string{"packed"}, s.log(t, 5))
		found, err := complete.Fulfilments(t.Context(), s.db.Read, []order.Number{1})
		require.NoError(t, err)
		assert.Equal(t, "007", found[1].TrackingNumber)
		for file, want := range map[string]string{
			"": "must have a column order_number", "a,b\n1,2": "must have a column order_number",
			"order_number": "has no rows", "order_number\n" + strings.Repeat("1\n", 1001): "has more than 1000 rows",
			"order_number\n\xff": "must be UTF-8",
		} {
			_, err := s.marker.MarkFile(t.Context(), by, file)
			require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "%.20q", file)
			assert.Contains(t, err.Error(), want)
		}
	})
}
