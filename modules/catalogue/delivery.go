package catalogue

import (
	"context"

	"onrush/modules/problem"
)

// Want is the delivery that the buyer asks for; the zero value means the default for the kind of goods.
type Want struct {
	Delivery    Delivery
	AddressID   string
	PickupPoint string
}

// Destination is where an order is delivered and which stock point it is taken from. Address is set for express,
// PickupPoint for pickup; FreightExtra is 0 except for express. PointsVersion is the version of the stock points by
// which the destination was decided; 0 if no stock point decided it.
type Destination struct {
	Delivery     Delivery
	Point        string
	PickupPoint  string
	Address      *Address
	FreightExtra int64

	PointsVersion int64
}

// addressReader is an Addresses, or their AddressCopies for callers that must not depend on SQL.
type addressReader interface {
	Get(ctx context.Context, user, id string) (Address, error)
}

// Destinations decides where orders are delivered, and from which stock point.
type Destinations struct {
	catalogue *Catalogue
	addresses addressReader
}

// NewDestinations returns a Destinations that reads points from catalogue and addresses from addresses.
func NewDestinations(catalogue *Catalogue, addresses addressReader) *Destinations {
	return &Destinations{catalogue: catalogue, addresses: addresses}
}

// Resolve decides the destination of goods of a kind. serves reports whether a stock point has the
// goods; nil means that every point has. Errors: invalid_request for a delivery that the kind doesn't
// have, address_required, not_found for an address that isn't the user's, region_not_served for an address
// to which no stock point sends the goods. Fields that the delivery
// doesn't need are ignored, except that a pickup point is only valid for pickup.
func (d *Destinations) Resolve(
	ctx context.Context, user string, kind Kind, want Want, serves func(point string) bool,
) (Destination, error) {
	if serves == nil {
		serves = func(string) bool { return true }
	}
	if kind != Physical {
		if want.Delivery != "" && want.Delivery != None {
			return Destination{}, problem.Invalid("delivery", "%s goods are not delivered", kind)
		}
		return Destination{Delivery: None, Point: DefaultPoint}, nil
	}
	switch want.Delivery {
	case "", Express:
		if want.PickupPoint != "" {
			return Destination{}, problem.Invalid("pickup_point_id", `is for delivery "pickup" only`)
		}
		return d.express(ctx, user, want.AddressID, serves)
	case Pickup:
		return d.pickup(ctx, want.PickupPoint, serves)
	default:
		return Destination{}, problem.Invalid("delivery", `must be "express" or "pickup" for physical goods`)
	}
}

func (d *Destinations) express(
	ctx context.Context, user, addressID string, serves func(string) bool,
) (Destination, error) {
	if addressID == "" {
		return Destination{}, &problem.Error{
			Code:   CodeAddressRequired,
			Detail: "Express delivery needs an address.",
			Fields: []problem.Field{{Name: "address_id", Detail: "is required for express delivery"}},
		}
	}
	address, err := d.addresses.Get(ctx, user, addressID)
	if err != nil {
		return Destination{}, err
	}
	points, err := d.catalogue.pointSet(ctx)
	if err != nil {
		return Destination{}, err
	}
	address.Region = points.shown(address.Region)
	point, found := points.pointFor(address.Region, serves)
	if !found {
		if !serves(DefaultPoint) {
			return Destination{}, &problem.Error{
				Code:   CodeRegionNotServed,
				Detail: "These goods can't be sent to the region " + address.Region + ".",
				Fields: []problem.Field{{
					Name: "address_id", Detail: "is in a region that these goods can't be sent to",
				}},
			}
		}
		point, _ = points.point(DefaultPoint)
	}
	return Destination{
		Delivery: Express, Point: point.ID, Address: &address, FreightExtra: point.FreightExtra,
		PointsVersion: points.version,
	}, nil
}

func (d *Destinations) pickup(ctx context.Context, id string, serves func(string) bool) (Destination, error) {
	if id == "" {
		return Destination{}, problem.Invalid("pickup_point_id", "is required for pickup")
	}
	points, err := d.catalogue.pointSet(ctx)
	if err != nil {
		return Destination{}, err
	}
	point, found := points.point(id)
	if !found {
		return Destination{}, problem.Invalid("pickup_point_id", "does not exist")
	}
	if !point.Pickup || !serves(id) {
		return Destination{}, problem.Invalid("pickup_point_id", "does not offer these goods for pickup")
	}
	return Destination{Delivery: Pickup, Point: id, PickupPoint: id, PointsVersion: points.version}, nil
}
