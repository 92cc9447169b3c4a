package complete

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
)

func TestAnAddressIsOpenUntilTheOrderIsPacked(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	express := func(status order.Status, paidAgo time.Duration, state order.FulfilmentState) *order.Order {
		o := &order.Order{Status: status, Content: order.Content{Delivery: catalogue.Express}}
		if status == order.Paid {
			o.PaidMS = now.Add(-paidAgo).UnixMilli()
		}
		if state != "" {
			o.Fulfilment = &order.Fulfilment{State: state}
		}
		return o
	}
	by := func(delivery catalogue.Delivery) *order.Order {
		return &order.Order{Status: order.Paid, Content: order.Content{Delivery: delivery}}
	}
	cached := express("", 0, "")
	cached.Cached = true
	for name, c := range map[string]struct {
		order *order.Order
		want  problem.Code // none: it may change
	}{
		"unpaid":            {express(order.Unpaid, 0, ""), problem.Code{}},
		"only in Redis":     {cached, problem.Code{}},
		"paid":              {express(order.Paid, 0, ""), problem.Code{}},
		"paid lately":       {express(order.Paid, AddressOpenFor-time.Second, ""), problem.Code{}},
		"paid a week ago":   {express(order.Paid, AddressOpenFor, ""), problem.CodeConflict},
		"packed, weeks ago": {express(order.Paid, 3*AddressOpenFor, order.Packed), CodeAlreadyPacked},
		"cancelled":         {express(order.Cancelled, 0, ""), problem.CodeConflict},
		"refunded":          {express(order.Refunded, 0, ""), problem.CodeConflict},
		"failed":            {express(order.Failed, 0, ""), problem.CodeConflict},
		"picked up":         {by(catalogue.Pickup), problem.CodeConflict},
		"a code":            {by(catalogue.None), problem.CodeConflict},
		"packed":            {express(order.Paid, 0, order.Packed), CodeAlreadyPacked},
		"shipped":           {express(order.Paid, 0, order.Shipped), CodeAlreadyPacked},
	} {
		assert.Equal(t, c.want, problem.CodeOf(RequireAddressOpen(c.order, now)), name)
	}
	assert.Less(t, AddressOpenFor, order.MinKeep, "archived orders keep their addresses")
}
