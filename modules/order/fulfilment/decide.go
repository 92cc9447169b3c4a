package fulfilment

import (
	"slices"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// Mark is what an operator says of an order: the state that it is in now, and of a shipped one the parcel.
type Mark struct {
	State          order.FulfilmentState
	Carrier        string
	TrackingNumber string
	// Row is for a row of a file, which may be an old export: the parcel that it names is one that the order has, or
	// that it gets as it is shipped. Another one is refused, so a row corrects no parcel.
	Row bool
}

// standing is what of an order decides about a mark.
type standing struct {
	status   order.Status
	delivery catalogue.Delivery
	is       order.Fulfilment // its State is "" before the order is packed
	erased   bool             // the buyer is
}

// standingOf returns the standing of an order. An erasure takes the address.
func standingOf(o *order.Order) standing {
	s := standing{status: o.Status, delivery: o.Delivery, erased: o.Delivery == catalogue.Express && o.Address == nil}
	if o.Fulfilment != nil {
		s.is = *o.Fulfilment
	}
	return s
}

// follows has the states that may follow a state, by how the goods come to the buyer. Marking a parcel as shipped again
// corrects its carrier and number. Goods that are not packed apart are shipped, or handed out, without.
var follows = map[catalogue.Delivery]map[order.FulfilmentState][]order.FulfilmentState{
	catalogue.Express: {
		"":              {order.Packed, order.Shipped},
		order.Packed:    {order.Shipped},
		order.Shipped:   {order.Shipped, order.Delivered},
		order.Delivered: {},
	},
	catalogue.Pickup: {
		"":              {order.Packed, order.Delivered},
		order.Packed:    {order.Delivered},
		order.Delivered: {},
	},
}

// decide reports whether a mark changes an order. One that the order has already changes nothing, without an error. A
// completely refunded order takes only marks of a parcel that is under way. Other marks are a conflict.
func (s standing) decide(m Mark) (changes bool, err error) {
	conflict := func(format string, args ...any) (bool, error) {
		return false, problem.Errorf(problem.CodeConflict, format, args...)
	}
	underWay := s.status == order.Refunded && s.is.State == order.Shipped
	next, delivered := follows[s.delivery]
	switch {
	case !delivered:
		return conflict("The goods of the order are not delivered.")
	case s.erased && m.State == order.Shipped && !s.has(m):
		return conflict("The buyer of the order was erased; it has no address, and keeps no tracking number.")
	case m.Row && s.hasAnother(m):
		return conflict("The order's parcel is another one; it is corrected on the page of the order, not by a file.")
	case s.is.State == m.State && (m.State != order.Shipped || s.has(m)):
		return false, nil
	case s.status != order.Paid && !underWay:
		return conflict("The order is %s; only a paid order is packed and delivered.", s.status)
	case !slices.Contains(next[s.is.State], m.State) && s.is.State == "":
		return conflict("An order for %s that is not packed can't be marked as %s.", s.delivery, m.State)
	case !slices.Contains(next[s.is.State], m.State):
		return conflict("An order for %s that is %s can't be marked as %s.", s.delivery, s.is.State, m.State)
	}
	return true, nil
}

// has reports whether the parcel is the one of a mark.
func (s standing) has(m Mark) bool {
	return s.is.Carrier == m.Carrier && s.is.TrackingNumber == m.TrackingNumber
}

// hasAnother reports whether a mark names a parcel, and the order has another one, or would get none.
func (s standing) hasAnother(m Mark) bool {
	named := m.Carrier != "" || m.TrackingNumber != ""
	return named && !s.has(m) && (m.State == order.Delivered || s.is.ShippedAt != 0)
}

// after returns the fulfilment after a mark.
func (m Mark) after(is order.Fulfilment, at api.Millis) order.Fulfilment {
	is.State = m.State
	switch m.State {
	case order.Packed:
		is.PackedAt = at
	case order.Shipped:
		is.Carrier, is.TrackingNumber = m.Carrier, m.TrackingNumber
		if is.ShippedAt == 0 { // else it corrects the parcel
			is.ShippedAt = at
		}
	case order.Delivered:
		is.DeliveredAt = at
	}
	return is
}
