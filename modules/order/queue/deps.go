package queue

import (
	"log/slog"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/order/logpositions"
	"onrush/modules/order/numbers"
	"onrush/modules/redisdb"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Lua   *lua.Scripts
	Locks *redisdb.Locks // of the lanes, for movers
	Clock *clock.Clock
	Log   *slog.Logger
	// Site has the number of lanes.
	Site *site.Site
	// Numbers gives another number to an order whose number SQL has already.
	Numbers *numbers.Numbers
	// Written keeps the positions of stored orders, for readers of replicas; nil keeps none.
	Written *logpositions.Store
	// Tracer shows the move of an order in the order's trace; nil shows none.
	Tracer *tracing.Tracer
	// Changed is called in the transactions that store orders. Nil does nothing.
	Changed order.Changed
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
