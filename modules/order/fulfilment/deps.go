package fulfilment

import (
	"context"
	"time"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// numberEnsurer stores orders that only Redis has.
type numberEnsurer interface {
	// EnsureNumber stores an order. Errors: not_found, unavailable.
	EnsureNumber(ctx context.Context, n order.Number) error
}

// MarkerDeps are the dependencies of a Marker.
type MarkerDeps struct {
	DB     *sqldb.DB
	Ensure numberEnsurer
	Now    func() time.Time
}

// points are the stock points.
type points interface {
	// ForgetPoints makes the next reader read them.
	ForgetPoints()
}

// destinations decides from which stock point goods are sent to an address.
type destinations interface {
	// Resolve is as of catalogue.Destinations.
	Resolve(
		ctx context.Context, user string, kind catalogue.Kind, want catalogue.Want, serves func(point string) bool,
	) (catalogue.Destination, error)
}

// AddressesDeps are the dependencies of Addresses.
type AddressesDeps struct {
	DB           *sqldb.DB
	Ensure       order.Ensurer
	Destinations destinations
	Points       points
	Now          func() time.Time
}
