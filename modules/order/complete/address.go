package complete

import (
	"time"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// AddressOpenFor is how long after its payment the address of an order may change that nobody marks as packed. It is
// less than order.MinKeep, so archived orders keep theirs.
const AddressOpenFor = 7 * 24 * time.Hour

// RequireAddressOpen returns why the buyer of an order, whose Fulfilment was read, may not change its address: an
// already_packed or a conflict.
func RequireAddressOpen(o *order.Order, now time.Time) error {
	status := order.StateOf(o).Status
	switch {
	case o.Delivery != catalogue.Express:
		return problem.Errorf(problem.CodeConflict, "The order is not sent to an address.")
	case status != order.Unpaid && status != order.Paid:
		return problem.Errorf(problem.CodeConflict, "The order is %s.", status)
	case o.Fulfilment != nil:
		return problem.Errorf(CodeAlreadyPacked, "The order is %s; its address doesn't change any more.",
			o.Fulfilment.State)
	case o.PaidMS != 0 && now.Sub(time.UnixMilli(o.PaidMS)) >= AddressOpenFor:
		return problem.Errorf(problem.CodeConflict, "The order was paid more than %d days ago.",
			AddressOpenFor/(24*time.Hour))
	}
	return nil
}
