package inventory

import (
	"log/slog"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Lua   *lua.Scripts
	Clock *clock.Clock
	Log   *slog.Logger
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
