package pay

import (
	"context"
	"log/slog"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/pay/counts"
	"onrush/modules/redisdb"
	"onrush/modules/sqldb"
)

// Gateways are the enabled channels, by name.
type Gateways map[string]Gateway

// ensurer makes sure that an order is in SQL before it is paid.
type ensurer interface {
	EnsureStored(ctx context.Context, user string, n order.Number) (*order.Order, error)
}

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB       *sqldb.DB
	Ensure   ensurer
	Payer    *order.Payer
	Gateways Gateways
	Locks    *redisdb.Locks // of the orders that a notification pays
	Keys     lua.Keys       // the names of the locks
	Clock    *clock.Clock
	Number   func() order.Number // returns new pay and refund numbers
	Random   func() uint64       // for the jitter of retries
	Log      *slog.Logger
	Counts   *counts.Counts // nil: nothing is counted
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
