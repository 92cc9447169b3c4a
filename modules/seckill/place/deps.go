package place

import (
	"log/slog"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order/numbers"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// Deps are the dependencies of a Placer; the caller opens and closes them.
type Deps struct {
	DB      *sqldb.DB // buyers' connections
	Lua     *lua.Scripts
	Clock   *clock.Clock
	Numbers *numbers.Numbers // of the orders
	// Placed is told how many orders of an activity a call of Redis has placed, whether or not their submits waited
	// for it. Replays are not among them.
	Placed func(lane int, activity string, orders int)
	Log    *slog.Logger
	// Tracer shows the placing of an order in the trace of its submit; nil shows none.
	Tracer *tracing.Tracer
}
