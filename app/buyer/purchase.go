package buyer

import (
	"context"

	"onrush/modules/seckill"
	"onrush/web/client"
)

// maxPaths bounds how many paths a buyer takes for one order.
const maxPaths = 8

// Goods is a sku at one of its stock points, and how a buyer gets it from there.
type Goods struct {
	SKU, Point string
	Price      int64  // of a unit, in minor units of the currency
	Units      int64  // that the sale has there
	Region     string // of the buyer's address; "" without an address
	Pickup     string // the pickup point; "" without one
}

// Pick returns an index of goods by a random number: each sku and point gets as many buyers as its part of the units.
func Pick(all []Goods, random uint64) int {
	var units uint64
	for _, g := range all {
		units += uint64(max(g.Units, 1))
	}
	n := random % units
	for i, g := range all {
		here := uint64(max(g.Units, 1))
		if n < here {
			return i
		}
		n -= here
	}
	return 0
}

// OnPath passes the gates of a sale for a sku and calls submit with the path, with another one while the path has
// expired or the sale takes no order for a moment. It returns the last answer.
func (b *Buyer) OnPath(ctx context.Context, activity, sku string, submit func(path string) Answer) (a Answer) {
	for range maxPaths {
		path, got := b.Path(ctx, activity, sku)
		if got.Code != OK {
			return got
		}
		a = submit(path)
		switch a.Code {
		case seckill.CodePathExpired.Name, seckill.CodePathInvalid.Name, seckill.CodeNoPermit.Name,
			seckill.CodePaused.Name:
		default:
			return a
		}
		if !b.Wait(ctx, a) {
			return a
		}
	}
	return a
}

// Deliver returns the body of a submit for one unit of goods. It stores an address of the buyer in their region, unless
// the buyer has one there; the answer is OK if the goods can be delivered.
func (b *Buyer) Deliver(ctx context.Context, g Goods) (order client.SubmitRequest, a Answer) {
	order.Quantity, a.Code = 1, OK
	switch {
	case g.Pickup != "":
		order.Delivery, order.PickupPointID = "pickup", g.Pickup
		return order, a
	case g.Region == "":
		return order, a
	case g.Region != b.region:
		free, taken := take(ctx, b.Addresses)
		if !taken {
			return order, Answer{}
		}
		defer free()
		a = b.Insist(ctx, "address", "POST", "/api/v1/addresses", "", client.AddressRequest{
			Receiver: b.Name, Phone: "13800000000", Region: g.Region, Detail: "1 Main Street",
		})
		var stored client.Address
		if !a.Read(&stored) {
			return order, a
		}
		b.home, b.region = stored.AddressID, g.Region
	}
	order.AddressID = b.home
	return order, a
}
