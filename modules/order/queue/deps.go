package queue

import (
	"log/slog"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Lua   *lua.Scripts
	Locks *lua.Locks // of the lanes, for movers
	Clock *lua.Clock
	Log   *slog.Logger
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
