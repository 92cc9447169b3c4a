package fulfilment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
)

func TestAMarkFollowsHowFarAnOrderHasCome(t *testing.T) {
	t.Parallel()
	const none order.FulfilmentState = ""
	states := []order.FulfilmentState{none, order.Packed, order.Shipped, order.Delivered}
	type move struct{ from, to order.FulfilmentState }
	type moves map[move]bool // whether it changes the order; others are a conflict
	same := moves{
		{order.Packed, order.Packed}: false, {order.Shipped, order.Shipped}: false,
		{order.Delivered, order.Delivered}: false,
	}
	with := func(more ...move) moves {
		all := moves{}
		for m, changes := range same {
			all[m] = changes
		}
		for _, m := range more {
			all[m] = true
		}
		return all
	}
	for _, c := range []struct {
		delivery catalogue.Delivery
		status   order.Status
		want     moves
	}{
		{catalogue.Express, order.Paid, with(move{none, order.Packed}, move{none, order.Shipped},
			move{order.Packed, order.Shipped}, move{order.Shipped, order.Delivered})},
		{catalogue.Pickup, order.Paid, with(move{none, order.Packed}, move{none, order.Delivered},
			move{order.Packed, order.Delivered})},
		{catalogue.None, order.Paid, moves{}},
		{catalogue.Express, order.Refunded, with(move{order.Shipped, order.Delivered})},
		{catalogue.Pickup, order.Refunded, with()},
		{catalogue.Express, order.Unpaid, with()},
		{catalogue.Express, order.Cancelled, with()},
		{catalogue.Express, order.Failed, with()},
	} {
		for _, from := range states {
			for _, to := range states[1:] {
				changes, err := standing{
					status: c.status, delivery: c.delivery, is: order.Fulfilment{State: from},
				}.decide(Mark{State: to})
				want, may := c.want[move{from, to}]
				if c.delivery == catalogue.Pickup && from == order.Shipped && to == order.Delivered {
					continue // no such order
				}
				assert.Equal(t, may, err == nil, "%s, %s: %q to %s: %v", c.delivery, c.status, from, to, err)
				assert.Equal(t, want, changes, "%s, %s: %q to %s", c.delivery, c.status, from, to)
				if err != nil {
					assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
				}
			}
		}
	}
}

func TestAnotherMarkOfAShippedOrderCorrectsItsParcel(t *testing.T) {
	t.Parallel()
	is := Mark{State: order.Shipped, Carrier: "DHL", TrackingNumber: "1"}.after(order.Fulfilment{}, 5)
	wrong := standing{status: order.Paid, delivery: catalogue.Express, is: is}
	for _, m := range []Mark{
		{State: order.Shipped, Carrier: "UPS", TrackingNumber: "1"},
		{State: order.Shipped, Carrier: "DHL", TrackingNumber: "2"},
	} {
		changes, err := wrong.decide(m)
		require.NoError(t, err)
		assert.True(t, changes)
		assert.Equal(t, order.Fulfilment{
			State: order.Shipped, ShippedAt: 5, Carrier: m.Carrier, TrackingNumber: m.TrackingNumber,
		}, m.after(is, 9), "it was shipped when it was")
	}
}

// A file may be an old export: what was corrected since stays, and no parcel that a row names gets lost unsaid.
func TestARowOfAFileCorrectsNoParcel(t *testing.T) {
	t.Parallel()
	shipped := parcel.after(order.Fulfilment{}, 5)
	delivered := Mark{State: order.Delivered}.after(shipped, 6)
	handedOut := Mark{State: order.Delivered}.after(order.Fulfilment{}, 6)
	for _, c := range []struct {
		name     string
		delivery catalogue.Delivery
		is       order.Fulfilment
		Mark
		refused bool
	}{
		{"shipped first", catalogue.Express, order.Fulfilment{}, parcel, false},
		{"its parcel", catalogue.Express, shipped, parcel, false},
		{"another number", catalogue.Express, shipped, Mark{order.Shipped, "DHL", "J2", true}, true},
		{"no number", catalogue.Express, shipped, Mark{order.Shipped, "DHL", "", true}, true},
		{"delivered", catalogue.Express, shipped, Mark{State: order.Delivered, Row: true}, false},
		{"its parcel delivered", catalogue.Express, shipped, Mark{order.Delivered, "DHL", "J1", true}, false},
		{"another delivered", catalogue.Express, shipped, Mark{order.Delivered, "UPS", "J1", true}, true},
		{"delivered again", catalogue.Express, delivered, Mark{order.Delivered, "DHL", "J1", true}, false},
		{"another delivered again", catalogue.Express, delivered, Mark{order.Delivered, "", "J2", true}, true},
		{"handed out", catalogue.Pickup, order.Fulfilment{}, Mark{order.Delivered, "DHL", "", true}, true},
		{"handed out again", catalogue.Pickup, handedOut, Mark{order.Delivered, "", "J1", true}, true},
	} {
		c.Row = true
		_, err := standing{status: order.Paid, delivery: c.delivery, is: c.is}.decide(c.Mark)
		assert.Equal(t, c.refused, err != nil, "%s: %v", c.name, err)
	}
}
