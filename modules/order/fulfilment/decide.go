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
}

// standing is what of an order decides about a mark, and about another address.
type standing struct {
	status   order.Status
	delivery catalogue.Delivery
	is       order.Fulfilment // its State is "" before the order is packed
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

// requireOpen returns why the address of an order can't change any more: already_packed, or a conflict.
func (s standing) requireOpen() error {
	switch {
	case s.delivery != catalogue.Express:
		return problem.Errorf(problem.CodeConflict, "The order is not sent to an address.")
	case s.status != order.Unpaid && s.status != order.Paid:
		return problem.Errorf(problem.CodeConflict, "The order is %s.", s.status)
	case s.is.State != "":
		return problem.Errorf(CodeAlreadyPacked, "The order is %s; its address doesn't change any more.", s.is.State)
	}
	return nil
}
